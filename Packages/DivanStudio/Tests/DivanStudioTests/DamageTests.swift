import DivanCrypto
import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanRevisions
import DivanTestKit
import Testing

// Only the disk determines that a blob cannot be read, so a storage that throws replaces it.
@testable import DivanStudio

/// Damage hides nothing else, and a decision is stored as it was made.
@Suite(.timeLimit(.minutes(5))) struct DamageTests {
    private func ask(
        _ room: StudioFixture,
        _ method: String,
        _ path: String,
        body: String? = nil
    ) throws -> HTTPTestClient.Answer {
        try HTTPTestClient(port: room.port).ask(
            method,
            path,
            naming: "Host: 127.0.0.1:\(room.port)",
            "Cookie: divan-studio-\(room.port)=\(room.token)",
            "Origin: \(room.origin)",
            "Content-Type: application/json",
            body: body
        )
    }

    @Test func `a damaged document is listed with the others`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("a.cblite2")
        do {
            let store = try Store.open(directory: path, options: StoreOptions(create: true))
            for id in ["a", "b", "c"] {
                _ = try store.save(DocumentID(unchecked: id), in: .default, body: Array("{}".utf8))
            }
            try store.close()
        }
        try RowDamage.edit(
            "\(path)/db.sqlite3",
            "UPDATE docs_1 SET revisionID = x'00' WHERE documentID = 'b'"
        )
        let room = try StudioFixture(directory: path)
        let page = try ask(room, "GET", "/collection.json").json()
        let rows = try #require(page["rows"]?.array)
        #expect(rows.map { $0["id"]?.string } == ["a", "b", "c"])
        #expect(rows.map { $0["damage"] != nil } == [false, true, false])
    }

    @Test func `the rows of SELECT * have a column for each property`() throws {
        let room = try StudioFixture()
        try room.put("a", #"{"n":1}"#)
        try room.put("b", #"{"m":2}"#)
        let table = try ask(room, "GET", "/query.json?q=SELECT%20*%20FROM%20_").json()
        let columns = try #require(table["columns"]?.array).compactMap(\.string)
        #expect(Set(columns) == ["m", "n"])
    }

    @Test func `a document of the maximum depth is shown`() throws {
        let room = try StudioFixture()
        try room.put("a", "{}")
        let (open, close) = (String(repeating: "[", count: 127), String(repeating: "]", count: 127))
        try room.put("b", "{\"a\":\(open)\(close)}")
        let page = try ask(room, "GET", "/collection.json").text
        #expect(page.contains(#""id":"a""#) && page.contains(open), "\(page)")
        for path in ["/document.json?id=b", "/query.json?q=SELECT%20a%20FROM%20_"] {
            #expect(try ask(room, "GET", path).text.contains(open), "\(path)")
        }
    }

    @Test func `an unreadable blob is shown as such`() throws {
        struct Refusing: BlobStorage {
            var directory: String? { nil }
            func byteCount(_ digest: BlobDigest) -> Int? { 7 }
            func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
                throw StoreError(.noSuchBlob(digest))
            }
            func sink() throws(StoreError) -> any BlobSink { throw StoreError(.notOpen) }
            func settle() {}
            func remove(_ digest: BlobDigest) {}
            func contents() -> (digests: [BlobDigest], unknownNames: [String]) { ([], []) }
        }
        let body = #"{"p":{"@type":"blob","digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}}"#
        let blob = try #require(try BlobReferences.all(in: Array(body.utf8).span).first)
        let shown = StudioData.shown(blob, in: BlobStore(Refusing()))
        #expect(shown["readable"]?.bool == false && shown["picture"]?.bool == false)
        #expect(shown["length"]?.int == 7)
    }

    @Test func `a blob is found by the exact bytes of its key`() throws {
        let room = try StudioFixture()
        let contents = [("e\u{301}", "decomposed"), ("\u{E9}", "composed")]
        let members = try contents.map { name, content in
            let digest = try room.store.blobs.write(Array(content.utf8))
            return #""\#(name)":{"@type":"blob","digest":"\#(digest)","length":9}"#
        }
        try room.put("a", "{\(members.joined(separator: ","))}", hasBlobs: true)
        for (name, content) in [("%C3%A9", "composed"), ("e%CC%81", "decomposed")] {
            #expect(try ask(room, "GET", "/blob?id=a&pointer=%2F\(name)").text == content)
        }
    }

    @Test(arguments: [("local", "blue", 1), ("remote", "red", 2)])
    func `keeping a side of a conflict sends only its revision ID from the browser`(
        side: String,
        color: String,
        price: Int
    ) throws {
        let room = try StudioFixture()
        try room.makeConflict("chair")
        let conflict = try ask(room, "GET", "/conflict.json?id=chair").json()
        let ids = ["local", "remote"].map { conflict[$0]?["rev"]?.string ?? "" }
        let path = "/conflict.json?id=chair"
        for wish in [#""keep":"both""#, #""keep":null"#, #""kept":"local""#] {
            let body = #"{"local":"\#(ids[0])","remote":"\#(ids[1])",\#(wish)}"#
            #expect(try ask(room, "POST", path, body: body).status == 400)
        }
        let other = #"{"local":"\#(ids[1])","remote":"\#(ids[0])","keep":"\#(side)"}"#
        #expect(try ask(room, "POST", path, body: other).status == 409)
        let body = #"{"local":"\#(ids[0])","remote":"\#(ids[1])","keep":"\#(side)"}"#
        let answer = try ask(room, "POST", path, body: body)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
            try room.body(of: "chair") == #"{"color":"\#(color)","name":"chair","price":\#(price)}"#
        )
        #expect(try room.store.read { try $0.conflicts(in: .default) }.isEmpty)
    }

    /// Browsers omit the default port of the scheme.
    @Test(arguments: ["127.0.0.1", "localhost", "127.0.0.1:80"])
    func `the studio accepts its address without a port on port 80`(host: String) throws {
        let token = StudioToken(random: SystemRandomSource())
        let gate = StudioAccess(token: token)
        let text = "GET /?token=\(token.text) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        var reader = HTTPHeadReader()
        reader.receive(Array(text.utf8).span)
        let request = try HTTPRequest(try #require(try reader.next()))
        guard case .welcome = gate.decide(about: request, port: 80) else {
            Issue.record("refused")
            return
        }
        guard case .refuse = gate.decide(about: request, port: 8_080) else {
            Issue.record("let in at another port")
            return
        }
    }
}
