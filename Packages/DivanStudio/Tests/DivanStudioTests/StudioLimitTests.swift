import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanStudio
import DivanTestKit
import Testing

/// What the studio's data refuses, over raw sockets.
@Suite(.timeLimit(.minutes(5))) struct StudioLimitTests {
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

    @Test(arguments: ["1%29+OR+%281", "n%3B+SELECT+1", "n%2C+m", "n+LIMIT+1", "%24x%29"])
    func `a filter must be a single condition`(text: String) throws {
        let room = try StudioFixture()
        try room.put("a", #"{"n":0}"#)
        let answer = try ask(room, "GET", "/collection.json?where=\(text)")
        #expect(answer.status == 400, "\(answer.text)")
    }

    @Test func `a sort by a hostile name is a sort by a property`() throws {
        let room = try StudioFixture()
        try room.put("b", #"{"`; x":1}"#)
        try room.put("a", #"{"`; x":2}"#)
        let page = try ask(room, "GET", "/collection.json?sort=%60%3B+x").json()
        let ids = page["rows"]?.array?.map { $0["id"]?.string }
        #expect(ids == ["b", "a"])
    }

    @Test func `a sample of a schema counts a limited number of properties`() throws {
        let room = try StudioFixture()
        let members = (0..<1_000).map { #""p\#($0)":\#($0)"# }.joined(separator: ",")
        try room.put("a", "{\(members)}")
        let schema = try ask(room, "GET", "/schema.json").json()
        #expect(schema["properties"]?.array?.count == StudioLimits().propertyCount)
        #expect(schema["suggestions"]?.array?.isEmpty == true)
    }

    @Test func `too many documents in one request are refused`() throws {
        let room = try StudioFixture()
        let documents = repeatElement(#"{"id":"a","doc":{}}"#, count: 1_001)
        let body = #"{"documents":[\#(documents.joined(separator: ","))]}"#
        #expect(try ask(room, "POST", "/import.json", body: body).status == 413)
        #expect(try room.body(of: "a") == nil)
    }

    @Test func `a read-only studio refuses every change`() throws {
        let room = try StudioFixture(mayWrite: false)
        try room.put("a", "{}")
        for (method, path) in [
            ("POST", "/import.json"), ("POST", "/indexes.json?name=i"),
            ("DELETE", "/document.json?id=a"),
            ("POST", "/blob?id=a&key=k"), ("DELETE", "/indexes.json?name=i"),
        ] {
            let answer = try ask(room, method, path, body: #"{"expressions":"n","documents":[]}"#)
            #expect(answer.status == 403, "\(method) \(path): \(answer.text)")
        }
    }

    @Test func `an existing index is not replaced`() throws {
        let room = try StudioFixture()
        let path = "/indexes.json?name=i"
        let first = try ask(room, "POST", path, body: #"{"expressions":"n, LOWER(m)"}"#)
        #expect(first.status == 200, "\(first.text)")
        #expect(try ask(room, "POST", path, body: #"{"expressions":"k"}"#).status == 409)
        #expect(try ask(room, "POST", path, body: #"{"expressions":"n >"}"#).status == 400)
        let page = try ask(room, "GET", "/indexes.json").json()
        #expect(page["indexes"]?.array?.map { $0["source"]?.string } == ["n, LOWER(m)"])
        #expect(page["building"]?.array?.isEmpty == true)
    }

    @Test func `an index that is being created is listed, and can be stopped`() throws {
        let folder = try TemporaryDirectory()
        let room = try StudioFixture(directory: folder.file("a.cblite2"))
        let path = "/indexes.json?name=i"
        let body = #"{"expressions":"n"}"#
        let builder = try HTTPTestClient(port: room.port)
        try room.store.write { _ in
            // It waits until this transaction ends.
            builder.send(
                [
                    "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
                    "Cookie: divan-studio-\(room.port)=\(room.token)", "Origin: \(room.origin)",
                    "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "",
                    body,
                ].joined(separator: "\r\n")
            )
            var building: [JSON] = []
            for _ in 0..<100_000 where building.isEmpty {
                building = try ask(room, "GET", "/indexes.json").json()["building"]?.array ?? []
            }
            #expect(building.first?["name"]?.string == "i")
            #expect(building.first?["share"]?.double == 0)
            #expect(try ask(room, "DELETE", path, body: "{}").status == 200)
        }
        let answer = try builder.readAnswer()
        #expect(answer.status == 409 && answer.text.contains("stopped"), "\(answer.text)")
        let page = try ask(room, "GET", "/indexes.json").json()
        #expect(page["indexes"]?.array?.isEmpty == true)
        #expect(page["building"]?.array?.isEmpty == true)
    }
}
