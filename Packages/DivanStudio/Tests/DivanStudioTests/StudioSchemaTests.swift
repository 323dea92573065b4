import DivanDatabase
import DivanJSON
import DivanTestKit
import Testing

/// The schema, the indexes and the import of files in a real browser.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioSchemaTests {
    private let browser: Browser
    private let room: StudioFixture

    init() throws {
        browser = try Browser()
        room = try StudioFixture()
    }

    private var indexNames: [String] {
        get throws {
            try room.store.read { try $0.indexes(in: .default) }.map(\.name.text)
        }
    }

    @Test func `a suggested index is created and deleted`() throws {
        for number in 0..<20 {
            let zip = number % 2 == 0 ? "\(number)" : #""\#(number)""#
            try room.put("d\(number)", #"{"place":{"zip":\#(zip)},"kind":"hut"}"#)
        }
        try room.put("e", "{}")
        try browser.open(room.address)
        try browser.open("\(room.origin)/schema?collection=_default")
        try browser.wait("document.querySelector('#properties')")
        let rows =
            "[...document.querySelectorAll('#properties tbody tr')].map((row) => row.innerText)"
        #expect(
            try browser.evaluate(rows).text
                == #"["kind\tstring\t95%\thut","place\tobject\t95%\t","place.zip\tinteger 50%, string 50%\t95%\t"#
                + #"0, 1, 10"]"#
        )
        // One kind of hut is not worth an index.
        #expect(
            try browser.text("#suggestions tbody") == "place.zip\t20 different of 20\tCreate…"
        )
        try browser.click("#suggestions a")
        try browser.wait("document.querySelector('#index-name')?.value === 'byPlaceZip'")
        try browser.click("#create")
        try browser.wait("document.querySelector('#indexes')?.innerText.includes('place.zip')")
        #expect(try indexNames == ["byPlaceZip"])
        #expect(try browser.complaints().isEmpty)

        try browser.fill("#index-expressions", "place.")
        try browser.fill("#index-name", "other")
        try browser.click("#create")
        try browser.wait("document.querySelector('.note.bad')?.innerText.includes('line 1')")
        try browser.evaluate("{ window.confirm = () => true; true }")
        try browser.click("#indexes button.bad")
        try browser.wait("!document.querySelector('#indexes')")
        #expect(try indexNames.isEmpty)
    }

    /// Drops a file on the page, and waits until its preview is shown.
    private func drop(_ name: String, _ text: String, until condition: String) throws {
        try browser.open("\(room.origin)/import?collection=_default")
        try browser.wait("document.querySelector('#drop')")
        let content = JSON.string(text)
        try browser.evaluate(
            """
            { const files = new DataTransfer();
              files.items.add(new File([\(String(decoding: try content.canonicalBytes(), as: UTF8.self))], '\(name)'));
              document.querySelector('#drop').dispatchEvent(
                new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })); true }
            """
        )
        try browser.wait(condition)
    }

    @Test func `a dropped file is previewed and imported`() throws {
        let isOffered = "document.querySelector('#import')"
        let isDone = "document.querySelector('#imported')"
        try room.put("a", "{}")
        try browser.open(room.address)
        try drop(
            "soups.jsonl",
            #"{"_id":"a","n":1}"# + "\n" + #"{"_id":"b","big":12345678901234567890}"# + "\n\n"
                + #"{"_id":"_c"}"#,
            until: isOffered
        )
        #expect(try browser.text("#import") == "Import 3 documents")
        #expect(try browser.text("#preview tbody").contains("12345678901234567890"))
        try browser.click("#import")
        try browser.wait(isDone)
        let report = try browser.text("#imported")
        #expect(report.hasPrefix("1 document saved, 1 skipped, 1 not saved."), "\(report)")
        #expect(try room.body(of: "b") == #"{"big":12345678901234567890}"#)
        #expect(try room.body(of: "a") == "{}")

        try drop(
            "soups.csv",
            "_id,name,n,list\r\na,\"Soup, \"\"hot\"\"\",1.50,\"[1,2]\"\r\n007,x,,\r\n",
            until: isOffered
        )
        try browser.click("#replace")
        try browser.click("#import")
        try browser.wait(isDone)
        #expect(try room.body(of: "a") == #"{"list":[1,2],"n":1.5,"name":"Soup, \"hot\""}"#)
        #expect(try room.body(of: "007") == #"{"name":"x"}"#)

        let note = ".note.bad"
        try drop("bad.jsonl", "{}\n{\"a\":}", until: "document.querySelector('\(note)')")
        #expect(try browser.text(note).hasPrefix("bad.jsonl: line 2: "))
        try drop("bad.json", "[1]", until: "document.querySelector('\(note)')")
        #expect(
            try browser.text(note)
                == "bad.json: item 1: a document must be a JSON object"
        )
        #expect(try browser.complaints().isEmpty)
    }
}
