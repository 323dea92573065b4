import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanTestKit
import Testing

/// The query page in a real browser.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioQueryTests {
    private let browser: Browser
    private let room: StudioFixture

    init() throws {
        browser = try Browser()
        room = try StudioFixture()
    }

    private func run(_ text: String) throws {
        try browser.fill("#filter", text)
        // The click removes the old answer before it returns.
        try browser.click("#run")
    }

    @Test func `queries are kept, saved, and run with parameters`() throws {
        let path = try #require(CollectionPath("town.houses"))
        _ = try room.store.write { writer in
            try writer.createCollection(path)
            for number in 0..<9 {
                let body = Array(#"{"n":\#(number)}"#.utf8)
                _ = try writer.save(DocumentID(unchecked: "h\(number)"), in: path, body: body)
            }
        }
        try browser.open(room.address)
        try browser.open("\(room.origin)/query")
        let text = "document.querySelector('#filter').value"
        #expect(
            try browser.evaluate(text).string == "SELECT META().id, * FROM town.houses LIMIT 20"
        )
        try run("SELECT n FROM town.houses WHERE n >= $least AND n != $other AND '$no' != ''")
        let names = "[...document.querySelectorAll('#parameters input')].map((field) => field.name)"
        #expect(try browser.evaluate(names).text == #"["least","other"]"#)
        try browser.fill("#parameters input[name=least]", "6")
        try browser.fill("#parameters input[name=other]", "7")
        try browser.click("#run")
        try browser.wait("document.querySelectorAll('#rows tbody tr').length === 2")
        #expect(try browser.text("#rows tbody") == "6\n8")
        #expect(try browser.text("#plan ul.tree li").contains("SCAN"))
        try browser.fill("#query-name", "big ones")
        try browser.click("#save-query")
        try browser.wait("document.querySelector('#saved')")

        // Kept for the next visit.
        try browser.open("\(room.origin)/query")
        try browser.click("#saved .row button")
        try browser.wait("\(text).includes('$least')")
        try run("SELECT 1 AS one FROM town.houses LIMIT 1")
        try browser.wait("document.querySelectorAll('#history button').length === 2")
        #expect(try browser.text("#history button").isEmpty, "the menu is closed")
        try browser.click("#history div button:nth-child(2)")
        try browser.wait("\(text).includes('$least')")
        try browser.click("#saved .row .bad")
        try browser.wait("!document.querySelector('#saved')")
        #expect(try browser.complaints().isEmpty)
        try run("SELEC")
        try browser.wait("document.querySelector('.note.bad')?.innerText.includes('line 1')")
    }

    @Test func `rows are drawn as bars, lines over time, and places`() throws {
        for number in 0..<10 {
            let day = 10 + number
            try room.put(
                "d\(number)",
                #"{"at":"2026-01-\#(day)","lat":\#(number),"lon":\#(20 - number),"n":\#(number * number)}"#
            )
        }
        try room.put("none", #"{"at":"2026-02-01","n":"many"}"#)
        try browser.open(room.address)
        let query = "SELECT+at%2C+n%2C+lat%2C+lon+FROM+_+ORDER+BY+at"
        try browser.open("\(room.origin)/query?q=\(query)")
        try browser.wait("document.querySelector('#chart-kind')")
        func choose(_ id: String, _ value: String) throws {
            try browser.evaluate(
                """
                { const field = document.querySelector('\(id)'); field.value = '\(value)';
                  field.dispatchEvent(new Event('change', { bubbles: true })); true }
                """
            )
        }
        try choose("#chart-y", "1")
        try choose("#chart-kind", "bars")
        try browser.wait("document.querySelectorAll('#chart rect.bar-mark').length === 10")
        let label = "document.querySelector('#chart svg').getAttribute('aria-label')"
        #expect(try browser.evaluate(label).string == "n by at")
        try choose("#chart-kind", "lines")
        try browser.wait("document.querySelectorAll('#chart svg.lines circle').length === 10")
        #expect(
            try browser.evaluate("document.querySelector('#chart').textContent").text
                .contains("2026-01-10")
        )
        try choose("#chart-kind", "map")
        try browser.wait("document.querySelectorAll('#chart svg.map circle').length === 10")
        try choose("#chart-kind", "bars")
        try choose("#chart-y", "0")
        try browser.wait("document.querySelector('#chart')?.innerText === 'at has no numbers.'")
        #expect(try browser.complaints().isEmpty)
    }
}
