import DivanDatabase
import DivanJSON
import DivanTestKit
import Foundation
import Testing

/// The tables of collections in a real browser.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioTablesTests {
    private let browser: Browser
    private let room: StudioFixture

    init() throws {
        browser = try Browser()
        room = try StudioFixture()
    }

    private func firstRow() throws -> String { try browser.text("#documents tbody tr") }

    private func show(_ query: String = "") throws {
        try browser.open("\(room.origin)/collection?collection=_default\(query)")
    }

    /// The text of the file that a button saves.
    private func saved(by button: String) throws -> String {
        try browser.evaluate(
            """
            new Promise((done) => {
              const make = URL.createObjectURL;
              URL.createObjectURL = (file) => { file.text().then(done); URL.createObjectURL = make; return make(file); };
              document.querySelector('\(button)').click();
            })
            """
        ).string ?? ""
    }

    @Test func `a table is filtered, sorted, paged and saved`() throws {
        for number in 0..<120 {
            let city = ["Oslo", "Rome", "Lima"][number % 3]
            try room.put("d\(1_000 + number)", #"{"city":"\#(city), \"x\"","n":\#(number)}"#)
        }
        try browser.open(room.address)
        try show()
        #expect(try browser.text("#count") == "120 documents")

        // Forwards and back in the order of IDs.
        try browser.click("#next")
        try browser.wait("document.querySelector('#documents')?.innerText.includes('d1050')")
        try browser.click("#next")
        try browser.wait("document.querySelector('#documents')?.innerText.includes('d1100')")
        try browser.click("#previous")
        try browser.wait("document.querySelector('#documents')?.innerText.includes('d1099')")
        #expect(try firstRow().hasPrefix("d1050"))
        try browser.click("#previous")
        try browser.wait("document.querySelector('#documents')?.innerText.includes('d1000')")
        #expect(try browser.evaluate("document.querySelectorAll('#previous').length").int == 0)

        // A condition with a completed name; Enter inserts the name, and then applies the filter.
        try browser.evaluate("document.querySelector('#where').focus()")
        try browser.fill("#where", "ci")
        try browser.wait("document.querySelector('[role=option]')?.innerText === 'city'")
        try browser.press("Enter")
        try browser.wait("document.querySelector('#where').value === 'city'")
        try browser.fill("#where", "city LIKE 'Oslo%' AND n >= 60")
        try browser.click("#apply")
        try browser.wait("document.querySelector('#count')?.innerText === '20 of 120 documents'")
        #expect(try firstRow().hasPrefix("d1060"))

        // Sorted by a column, upwards and then downwards.
        let header = "#documents thead th:nth-child(3) button"
        #expect(try browser.text(header) == "n")
        try browser.click(header)
        try browser.wait("document.querySelector('[aria-sort=ascending]')?.innerText === 'n ▲'")
        try browser.click(header)
        try browser.wait("document.querySelector('[aria-sort=descending]')?.innerText === 'n ▼'")
        #expect(try firstRow().hasPrefix("d1117"))
        #expect(try browser.text("#count") == "20 of 120 documents")

        let json = try JSON(parsing: Array(try saved(by: "#save-json").utf8))
        #expect(json.array?.count == 20)
        #expect(json.array?.first?["_id"]?.string == "d1117")
        let lines = try saved(by: "#save-csv").split(separator: "\r\n")
        #expect(lines.prefix(2) == ["_id,city,n", #"d1117,"Oslo, ""x""",117"#])

        // A sorted table continues at an offset.
        try show("&sort=n&order=descending")
        try browser.click("#next")
        try browser.wait("document.querySelector('#documents')?.innerText.includes('d1069')")
        try browser.click("#previous")
        try browser.wait("document.querySelector('#documents')?.innerText.includes('d1119')")
        #expect(try browser.complaints().isEmpty)

        try show("&where=n+%3E")
        try browser.wait("document.querySelector('.note.bad')?.innerText.includes('column 4')")
    }

    @Test func `columns are chosen, and pictures are shown in their cells`() throws {
        let pixel =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        let digest = try room.store.blobs.write(Array(try #require(Data(base64Encoded: pixel))))
        let text = try room.store.blobs.write(Array("no picture".utf8))
        let blobs = [digest, text].map { #"{"@type":"blob","digest":"\#($0)","length":70}"# }
        try room.put("a", #"{"a/b~c":\#(blobs[0]),"note":\#(blobs[1])}"#, hasBlobs: true)
        try browser.open(room.address)
        try show()
        try browser.wait("document.querySelector('img.thumbnail')?.naturalWidth === 1")
        #expect(try browser.evaluate("document.querySelectorAll('img').length").int == 1)
        #expect(try browser.text("#documents thead").contains("note"))
        try browser.click("#columns summary")
        try browser.click("#columns input[value=note]")
        try browser.wait("!document.querySelector('#documents thead').innerText.includes('note')")
        try show()
        #expect(try !browser.text("#documents thead").contains("note"), "it is kept")
        #expect(try browser.text("#documents thead").contains("a/b~c"))
        #expect(try browser.complaints().isEmpty)
    }
}
