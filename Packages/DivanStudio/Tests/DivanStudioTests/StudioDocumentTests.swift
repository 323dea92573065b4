import DivanDatabase
import DivanJSON
import DivanTestKit
import Testing

/// The editor, the history and the blobs of a document, and the sides of a conflict, in a real browser.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioDocumentTests {
    private let browser: Browser
    private let room: StudioFixture

    init() throws {
        browser = try Browser()
        room = try StudioFixture()
    }

    @Test func `the editor shows where a text is not valid, and what was changed`() throws {
        try room.put("soup", #"{"name":"Soup","salt":1}"#)
        try browser.open(room.address)
        try browser.open("\(room.origin)/document?id=soup")
        try browser.click("#edit")
        try browser.wait("document.querySelector('.state')?.innerText === 'Valid JSON'")
        #expect(try browser.evaluate("document.querySelectorAll('.mirror .key').length").int == 2)
        try browser.fill("textarea.tall", "{\n  \"salt\": 1,\n  \"name\" 2\n}")
        #expect(try browser.text(".state") == "Line 3, column 10: expected a colon")
        try browser.click("#save")
        let start = "document.querySelector('textarea.tall').selectionStart"
        #expect(try browser.evaluate(start).int == 24, "the mistake is selected")
        for (text, state) in [
            ("[1]", "Line 1, column 1: a document is a JSON object: {…}"),
            (#"{"a":}"#, "Line 1, column 6: expected a value"),
            (#"{"a":1,}"#, "Line 1, column 8: expected a property in double quotes"),
            (#"{"a":[1,2"#, "Line 1, column 10: expected a comma or ] before the end"),
            (#"{"a":01}"#, "Line 1, column 6: expected a value"),
            (#"{"a":1,"\u0061":2}"#, "Line 1, column 8: this property occurs twice"),
            (#"{"a":1} x"#, "Line 1, column 9: expected no more text"),
            (#"{"a":[{},[],-1.5e3,null,"\n"]}"#, "Valid JSON"),
        ] {
            try browser.fill("textarea.tall", text)
            #expect(try browser.text(".state") == state, "\(text)")
        }
        try browser.fill("textarea.tall", "{\n  \"name\": \"Soup\",\n  \"salt\": 2\n}")
        try browser.click("#show-changes")
        #expect(
            try browser.text("#changes .differences")
                == "  {\n    \"name\": \"Soup\",\n-   \"salt\": 1\n+   \"salt\": 2\n  }\n"
        )
        try browser.click("#save")
        try browser.wait("document.querySelector('#body > pre')")
        #expect(try room.body(of: "soup") == #"{"name":"Soup","salt":2}"#)
        #expect(try browser.complaints().isEmpty)
    }

    @Test func `a file becomes a blob, and a kept revision is compared`() throws {
        try room.makeConflict("chair")
        try browser.open(room.address)
        try browser.open("\(room.origin)/document?id=chair")
        try browser.click("#history button")
        try browser.wait("document.querySelector('#body .differences')")
        let text = try browser.text("#body .differences")
        #expect(text.contains("-   \"color\": \"red\""), "\(text)")
        #expect(text.contains("+   \"color\": \"blue\""), "\(text)")
        try browser.click("#close-differences")
        try browser.wait("document.querySelector('#body > pre .key')")

        try room.put("photo", #"{"n":1}"#)
        try browser.open("\(room.origin)/document?id=photo")
        try browser.fill("#blob-key", "note")
        try browser.evaluate(
            """
            { const files = new DataTransfer();
              files.items.add(new File(['hello'], 'note.txt', { type: 'text/plain' }));
              document.querySelector('#blob-file').files = files.files; true }
            """
        )
        try browser.click("#upload button")
        try browser.wait("document.querySelector('figcaption')?.innerText.includes('/note')")
        #expect(try browser.text("figcaption").contains("text/plain · 5 B"))
        let content =
            "fetch(document.querySelector('figure a').href).then((answer) => answer.text())"
        #expect(try browser.evaluate(content).string == "hello")
        #expect(try browser.complaints().isEmpty)
    }

    @Test func `a conflict shows three sides, which are stacked on a phone`() throws {
        try room.makeConflict("chair")
        try browser.open(room.address)
        try browser.open("\(room.origin)/conflict?id=chair")
        try browser.wait("document.querySelector('table.fields')")
        #expect(try browser.evaluate("document.querySelectorAll('thead th').length").int == 4)
        let row = "document.querySelector('tr.differs').innerText.split(/\\s+/)"
        #expect(try browser.evaluate(row).text == #"["color","red","blue","changed","red"]"#)
        #expect(try browser.text("tr.differs mark") == "blue")
        try browser.click("input[name=field-color][aria-label='color: remote']")
        let merged = "JSON.parse(document.querySelector('#merge').value).color"
        #expect(try browser.evaluate(merged).string == "red")

        try browser.shape(width: 390, height: 844)
        let tops =
            "[...document.querySelectorAll('tr.differs:first-of-type td')].map((cell) => cell.getBoundingClientRect().top)"
        let isStacked = "(\(tops)).every((top, index, all) => !index || top > all[index - 1])"
        try browser.wait(isStacked)
        #expect(try browser.evaluate("document.documentElement.scrollWidth").int ?? 0 <= 390)
        #expect(try browser.complaints().isEmpty)
    }

    @Test func `a conflict of two deletions is confirmed`() throws {
        try room.makeConflict("chair", isDeleted: true)
        try browser.open(room.address)
        try browser.open("\(room.origin)/conflict?id=chair")
        try browser.click("#keep-local")
        try browser.wait("document.querySelector('#body')?.innerText.includes('is deleted')")
        #expect(try room.store.read { try $0.conflicts(in: .default) }.isEmpty)
        #expect(try browser.complaints().isEmpty)
    }
}
