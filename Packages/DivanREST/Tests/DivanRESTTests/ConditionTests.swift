import DivanAuth
import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanQuery
import DivanREST
import DivanRevisions
import DivanTestKit
import Synchronization
import Testing

/// A client with a condition sees its own documents, and cannot find out anything about others.
@Suite(.timeLimit(.minutes(5))) struct ConditionTests {
    private let served: Served
    private let anna = "Authorization: Basic \(Base64Text.of("anna:a"))"
    private let bo = "Authorization: Basic \(Base64Text.of("bo:b"))"
    private let root = "Authorization: Basic \(Base64Text.of("root:r"))"

    init() throws {
        served = try Served { configuration in
            configuration.limits.pageCount = 3
            // Some turns find nothing that the client may see.
            configuration.limits.scanCount = 4
            configuration.limits.sightByteCount = 10_000
            configuration.limits.heartbeat = .milliseconds(20)
            configuration.authenticator = PasswordListenerAuthenticator { name, password in
                password == String(name.prefix(1))
            }
            configuration.rights = { client, _ in
                guard let user = client.user, user != "root" else { return .full }
                let condition = try? RESTCondition(
                    "owner = $user",
                    parameters: ["user": .string(user)]
                )
                return condition.map { RESTRights(condition: $0) }
            }
        }
        for number in 0..<20 {
            let owner = number.isMultiple(of: 5) ? "anna" : "bo"
            try served.put("d\(10 + number)", #"{"n":\#(number),"owner":"\#(owner)"}"#)
        }
    }

    private static let annas = ["d10", "d15", "d20", "d25"]

    private func ids(_ answer: HTTPTestClient.Answer, _ key: String) throws -> [String] {
        try #require(answer.json()[key]?.array, "\(answer.text)").compactMap { $0["id"]?.string }
    }

    private func query(_ text: String, _ user: String) throws -> HTTPTestClient.Answer {
        let body = try JSON.object(["query": .string(text)]).canonicalBytes()
        return try served.visitor().ask(
            "POST",
            "/notes/_query",
            user,
            body: String(decoding: body, as: UTF8.self)
        )
    }

    // MARK: One document

    @Test func `requests for a hidden document are answered like those for a missing one`() throws {
        let visitor = try served.visitor()
        let tag = try #require(
            try visitor.ask("GET", "/notes/_default/d11", root).field("ETag")
        )
        let requests: [(method: String, path: String, field: String, body: String?)] = [
            ("GET", "", "X: y", nil), ("HEAD", "", "X: y", nil),
            ("GET", "", "If-None-Match: \(tag)", nil), ("GET", "", "If-None-Match: *", nil),
            ("DELETE", "", "If-Match: \(tag)", nil), ("DELETE", "", "If-Match: *", nil),
            ("DELETE", "", "X: y", nil),
            ("PUT", "", "If-Match: \(tag)", #"{"owner":"anna"}"#),
            ("PUT", "", "If-Match: *", #"{"owner":"anna"}"#),
            ("PUT", "", "X: y", #"{"owner":"bo"}"#), ("PUT", "", "X: y", "{}"),
            ("GET", "/_blobs/p", "X: y", nil), ("PUT", "/_blobs/p", "If-Match: *", "x"),
            ("PUT", "/_blobs/p", "If-Match: \(tag)", "x"),
        ]
        for (method, path, field, body) in requests {
            let asked = try ["d11", "none"].map { id in
                try visitor.ask(method, "/notes/_default/\(id)\(path)", anna, field, body: body)
            }
            #expect(asked[0].status == asked[1].status, "\(method) \(path) \(field)")
            #expect(asked[0].status >= 400)
            #expect(asked[0].text.replacing("d11", with: "none") == asked[1].text)
            #expect(asked[0].field("ETag") == nil)
        }
        let kept = try visitor.ask("GET", "/notes/_default/d11", root)
        #expect(kept.field("ETag") == tag)
    }

    @Test func `creating a hidden document is rejected without its revision`() throws {
        let answer = try served.visitor().ask(
            "PUT",
            "/notes/_default/d11",
            anna,
            body: #"{"owner":"anna"}"#
        )
        #expect(answer.status == 403)
        #expect(try answer.json()["rev"] == nil)
    }

    @Test func `a user can only store documents that it can read`() throws {
        let visitor = try served.visitor()
        let path = "/notes/_default/d10"
        #expect(try visitor.ask("GET", path, anna).status == 200)
        let any = "If-Match: *"
        #expect(try visitor.ask("PUT", path, anna, any, body: #"{"owner":"bo"}"#).status == 403)
        #expect(try visitor.ask("POST", "/notes/_default", anna, body: "{}").status == 403)
        let own = #"{"n":7,"owner":"anna"}"#
        #expect(try visitor.ask("PUT", path, anna, any, body: own).status == 200)
        #expect(try visitor.ask("POST", "/notes/_default", anna, body: own).status == 201)
        let blob = try visitor.ask("PUT", "\(path)/_blobs/p", anna, any, body: "picture")
        #expect(blob.status == 200)
        #expect(try visitor.ask("GET", "\(path)/_blobs/p", anna).text == "picture")
        #expect(try visitor.ask("GET", "\(path)/_blobs/p", bo).status == 404)
        #expect(try visitor.ask("DELETE", path, anna, any).status == 200)
        #expect(
            try visitor.ask("PUT", "/notes/_default/d15/_blobs/owner", anna, any, body: "x").status
                == 403
        )
    }

    @Test func `a document cannot reference another user's blob`() throws {
        let digest = try served.store.blobs.write(Array("secret".utf8))
        let body = #"{"owner":"anna","p":{"@type":"blob","digest":"\#(digest)","length":6}}"#
        let answer = try served.visitor().ask("PUT", "/notes/_default/x", anna, body: body)
        #expect(answer.status == 400)
    }

    // MARK: Lists

    @Test func `lists contain only visible documents and no sequences`() throws {
        let visitor = try served.visitor()
        let list = "/notes/_default/_all_docs"
        let whole = try visitor.ask("GET", list, anna)
        #expect(try ids(whole, "rows") == Self.annas)
        #expect(!whole.text.contains("sequence"))
        var seen: [String] = []
        var after = ""
        for _ in 0..<Self.annas.count {
            let page = try visitor.ask(
                "GET",
                "\(list)?limit=1&include_docs=true&after=\(after)",
                anna
            )
            seen += try ids(page, "rows")
            after = try page.json()["next"]?.string ?? ""
        }
        #expect(seen == Self.annas)
        #expect(after.isEmpty, "behind the last visible one there is no next, though others follow")
        #expect(try ids(visitor.ask("GET", "\(list)?prefix=d1", anna), "rows") == ["d10", "d15"])
        #expect(try ids(visitor.ask("GET", "\(list)?prefix=d11", anna), "rows").isEmpty)
    }

    @Test func `counts and sequences are hidden`() throws {
        let visitor = try served.visitor()
        for path in ["/notes", "/notes/_default", "/"] {
            let before = try visitor.ask("GET", path, anna)
            try served.put("more-\(path.count)", #"{"owner":"bo"}"#)
            #expect(try visitor.ask("GET", path, anna).text == before.text)
            #expect(!before.text.contains("count") && !before.text.contains("sequence"))
        }
        #expect(try visitor.ask("GET", "/notes", root).text.contains("\"count\":23"))
    }

    // MARK: Changes

    @Test func `the changes feed contains visible documents and opaque positions`() throws {
        let visitor = try served.visitor()
        let feed = "/notes/_default/_changes"
        let first = try visitor.ask("GET", "\(feed)?include_docs=true", anna)
        #expect(try ids(first, "results") == Self.annas)
        #expect(!first.text.contains("\"bo\""))
        let places = try (0..<2).map { _ in
            try #require(try visitor.ask("GET", feed, anna).json()["last_sequence"]?.string)
        }
        #expect(places[0] != places[1], "nobody sees whether there was a change")
        try served.put("d11", #"{"n":100,"owner":"bo"}"#)
        #expect(try ids(visitor.ask("GET", "\(feed)?since=\(places[0])", anna), "results").isEmpty)
        try served.put("d15", #"{"n":100,"owner":"anna"}"#)
        for place in places {
            let news = try visitor.ask("GET", "\(feed)?since=\(place)", anna)
            #expect(try ids(news, "results") == ["d15"])
        }
        var changed = Array(places[0].utf8)
        changed[34] = changed[34] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        let forged = String(decoding: changed, as: UTF8.self)
        for since in ["7", forged, String(places[0].dropLast(2)), "x"] {
            #expect(
                try visitor.ask("GET", "\(feed)?since=\(since)", anna).status == 400,
                "\(since)"
            )
        }
        let some = try visitor.ask("GET", "\(feed)?limit=2", anna)
        #expect(try ids(some, "results").count == 2)
        let rest = try #require(try some.json()["last_sequence"]?.string)
        #expect(try ids(visitor.ask("GET", "\(feed)?since=\(rest)", anna), "results").count == 2)
    }

    @Test func `the changes feed omits deletions and documents that became hidden`() throws {
        let visitor = try served.visitor()
        let feed = "/notes/_default/_changes"
        for id in ["d11", "d10"] {
            _ = try visitor.ask("DELETE", "/notes/_default/\(id)", root, "If-Match: *")
        }
        try served.put("d15", #"{"owner":"bo"}"#)
        #expect(try ids(visitor.ask("GET", feed, anna), "results") == ["d20", "d25"])
    }

    @Test func `a long poll ignores changes of hidden documents`() throws {
        let visitor = try served.visitor()
        let feed = "/notes/_default/_changes"
        let place = try #require(try visitor.ask("GET", feed, anna).json()["last_sequence"]?.string)
        let target = "\(feed)?feed=longpoll&since=\(place)"
        visitor.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(anna)\r\n\r\n")
        let writer = try served.visitor()
        for number in 0..<10 {
            // Another answer is sent in between, so the poll has examined some of them.
            try served.put("other\(number)", #"{"owner":"bo"}"#)
            _ = try writer.ask("GET", "/notes", bo)
        }
        try served.put("mine", #"{"owner":"anna"}"#)
        #expect(try ids(visitor.readAnswer(), "results") == ["mine"])
    }

    @Test func `an event stream sends visible changes, and resumes after the last one`() throws {
        let path = "/notes/_default/_changes?feed=eventsource&since=now"
        let visitor = try served.visitor()
        visitor.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(anna)\r\n\r\n")
        _ = try visitor.read(through: "\r\n\r\n")
        _ = try visitor.read(through: ":\n\n")
        try served.put("other", #"{"owner":"bo"}"#)
        try served.put("mine", #"{"owner":"anna"}"#)
        let event = String(decoding: try visitor.read(through: "}\n\n"), as: UTF8.self)
        #expect(event.contains("\"mine\"") && !event.contains("other"))
        let start = try #require(event.firstRange(of: "id: ")).upperBound
        let place = event[start...].prefix { $0.isHexDigit }
        try served.put("second", #"{"owner":"anna"}"#)
        let again = try served.visitor()
        again.send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(anna)\r\nLast-Event-ID: \(place)\r\n\r\n"
        )
        _ = try again.read(through: "\r\n\r\n")
        let next = String(decoding: try again.read(through: "}\n\n"), as: UTF8.self)
        #expect(next.contains("\"second\"") && !next.contains("\"mine\""))
    }

    @Test func `an event stream ends when its user is removed`() throws {
        let isRemoved = Atomic(false)
        let served = try Served { configuration in
            configuration.limits.heartbeat = .milliseconds(20)
            configuration.rights = { _, _ in isRemoved.load(ordering: .relaxed) ? nil : .full }
        }
        let visitor = try served.visitor()
        let path = "/notes/_default/_changes?feed=eventsource"
        visitor.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        try served.put("before", "{}")
        _ = try visitor.read(through: "\"before\"")
        isRemoved.store(true, ordering: .relaxed)
        try served.put("after", "{}")
        #expect(throws: (any Error).self) { try visitor.read(through: "\"after\"") }
    }

    /// Grants everything this many times, and nothing afterwards.
    private final class Grants: Sendable {
        private let count: Atomic<Int>

        init(_ count: Int) { self.count = Atomic(count) }

        func renew(_ count: Int) { self.count.store(count, ordering: .relaxed) }

        var next: RESTRights? {
            count.subtract(1, ordering: .relaxed).newValue >= 0 ? .full : nil
        }
    }

    @Test func `a list ends when its user is removed`() throws {
        // Removed when the third page is due.
        let grants = Grants(3)
        let served = try Served { configuration in
            configuration.limits.pageCount = 1
            configuration.rights = { _, _ in grants.next }
        }
        for number in 0..<9 { try served.put("d\(number)", "{}") }
        let visitor = try served.visitor()
        #expect(throws: (any Error).self) {
            try visitor.ask("GET", "/notes/_default/_all_docs?include_docs=true")
        }
    }

    @Test func `rows and blobs end when their user is removed`() throws {
        // Removed after the first pieces.
        let grants = Grants(4)
        let served = try Served { configuration in
            configuration.limits.pieceByteCount = 1
            configuration.rights = { _, _ in grants.next }
        }
        for number in 0..<9 { try served.put("d\(number)", "{}") }
        let content = [UInt8](repeating: 7, count: 1 << 20)
        let digest = try served.store.blobs.write(content)
        let blob = #"{"@type":"blob","digest":"\#(digest)","length":\#(content.count)}"#
        try served.put("picture", #"{"p":\#(blob)}"#)
        let query = #"{"query":"SELECT META().id AS id FROM _"}"#
        #expect(throws: (any Error).self) {
            try served.visitor().ask("POST", "/notes/_query", body: query)
        }
        grants.renew(4)
        #expect(throws: (any Error).self) {
            try served.visitor().ask("GET", "/notes/_default/picture/_blobs/p")
        }
    }

    @Test func `a user removed during an upload stores nothing`() throws {
        let isRemoved = Atomic(false)
        let served = try Served { configuration in
            configuration.rights = { _, _ in isRemoved.load(ordering: .relaxed) ? nil : .full }
        }
        let visitor = try served.visitor()
        visitor.send(
            "PUT /notes/_default/late HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                + "Content-Length: 2\r\n\r\n"
        )
        _ = try visitor.read(through: "Continue\r\n\r\n")
        isRemoved.store(true, ordering: .relaxed)
        visitor.send("{}")
        #expect(try visitor.readAnswer().status == 403)
        #expect(try served.store.read { try $0.count(in: .default) } == 0)
    }

    // MARK: Queries

    @Test func `a query sees only visible documents`() throws {
        let all = try query("SELECT META().id AS id FROM _ ORDER BY META().id", anna)
        #expect(try ids(all, "rows") == Self.annas)
        let count = try query("SELECT COUNT(*) AS c, MAX(META().sequence) AS s FROM _", anna)
        #expect(try count.json()["rows"]?.array?.first?["c"]?.int == 4)
        #expect(try count.json()["rows"]?.array?.first?["s"]?.int == 4, "numbers of the copy")
        for text in [
            "SELECT a.owner FROM _ AS a JOIN _ AS b ON a.n < b.n WHERE b.owner = 'bo'",
            "SELECT n FROM _ WHERE owner = 'bo' OR TRUE AND owner <> 'anna'",
            "SELECT n FROM _ WHERE owner = 'anna' AND EXISTS (SELECT 1 FROM _ WHERE owner = 'bo')",
            "SELECT META().id FROM _ WHERE META().deleted",
        ] {
            let answer = try query(text, anna)
            let rows = try answer.json()["rows"]?.array
            #expect(rows?.isEmpty ?? (answer.status == 400), "\(text): \(answer.text)")
        }
        let plan = try served.visitor().ask(
            "POST",
            "/notes/_query?explain=true",
            anna,
            body: #"{"query":"SELECT n FROM _"}"#
        )
        #expect(plan.status == 403)
    }

    @Test func `an expression error in a hidden document is not revealed`() throws {
        try served.put("d11", #"{"owner":"bo","secret":"("}"#)
        let question = "SELECT META().id AS id FROM _ WHERE NOT REGEXP_LIKE('x', secret) OR n >= 0"
        #expect(try ids(query(question, anna), "rows").count == Self.annas.count)
    }

    @Test func `a query over the size limit is rejected with a message`() throws {
        let filler = String(repeating: "x", count: 9_000)
        try served.put("big1", #"{"owner":"bo","t":"\#(filler)"}"#)
        #expect(
            try query("SELECT COUNT(*) AS c FROM _", anna).status == 200,
            "another's is no matter"
        )
        try served.put("big2", #"{"owner":"anna","t":"\#(filler)"}"#)
        try served.put("big3", #"{"owner":"anna","t":"\#(filler)"}"#)
        let answer = try query("SELECT COUNT(*) AS c FROM _", anna)
        #expect(answer.status == 400 && answer.text.contains("10000 bytes"), "\(answer.text)")
    }
}
