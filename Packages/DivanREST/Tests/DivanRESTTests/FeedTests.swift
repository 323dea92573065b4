import DivanDatabase
import DivanJSON
import DivanREST
import DivanRevisions
import DivanTestKit
import Testing

/// Lists, changes and queries.
@Suite(.timeLimit(.minutes(5))) struct FeedTests {
    @Test func `a list is served in pages by key or completely`() throws {
        let served = try Served { $0.limits.pageCount = 7 }
        for number in 100..<150 { try served.put("d\(number)", "{}") }
        try served.put("e", "{}")
        let visitor = try served.visitor()
        var seen: [String] = []
        var next: String? = ""
        while let after = next {
            let query = after.isEmpty ? "" : "&after=\(after)"
            let page = try visitor.ask("GET", "/notes/_default/_all_docs?limit=20\(query)").json()
            seen += try #require(page["rows"]?.array).compactMap { $0["id"]?.string }
            next = page["next"]?.string
        }
        #expect(seen == (100..<150).map { "d\($0)" } + ["e"])
        let whole = try visitor.ask("GET", "/notes/_default/_all_docs").json()
        #expect(whole["rows"]?.array?.count == 51 && whole["next"] == nil)
        let some = try visitor.ask("GET", "/notes/_default/_all_docs?prefix=d14&include_docs=true")
        #expect(try some.json()["rows"]?.array?.count == 10)
        #expect(try some.json()["rows"]?.array?.first?["doc"]?.object?.isEmpty == true)
        let one = try visitor.ask("GET", "/notes/_default/_all_docs?prefix=d149")
        #expect(try one.json()["rows"]?.array?.count == 1, "the prefix itself is a document")
        #expect(try visitor.ask("GET", "/notes/_default/_all_docs?limit=0").status == 400)
    }

    @Test func `a long list needs memory for one page, and ends when its client disconnects`()
        throws
    {
        let served = try Served()
        let filler = String(repeating: "x", count: 10_000)
        for number in 0..<3_000 { try served.put("d\(number)", #"{"t":"\#(filler)"}"#) }
        let before = OwnProcess.residentByteCount
        let visitor = try served.visitor()
        let target = "/notes/_default/_all_docs?include_docs=true"
        visitor.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        // Nobody reads: what is in transit is limited by the sockets and one page.
        #expect(try visitor.read(through: "{\"rows\":[").count > 0)
        #expect(OwnProcess.residentByteCount < before + 20 << 20)
        let answer = try served.visitor().ask("GET", target)
        #expect(try answer.json()["rows"]?.array?.count == 3_000)
    }

    @Test(arguments: ["_all_docs", "_changes"])
    func `pages are limited by bytes, and the list continues`(_ list: String) throws {
        let served = try Served { $0.limits.pageByteCount = 1_000 }
        let filler = String(repeating: "x", count: 400)
        for number in 100..<150 { try served.put("d\(number)", #"{"t":"\#(filler)"}"#) }
        let visitor = try served.visitor()
        let key = list == "_changes" ? "results" : "rows"
        for limit in ["", "&limit=50", "&limit=51"] {
            let target = "/notes/_default/\(list)?include_docs=true\(limit)"
            let rows = try visitor.ask("GET", target).json()[key]?.array ?? []
            #expect(rows.compactMap { $0["id"]?.string } == (100..<150).map { "d\($0)" })
            #expect(rows.allSatisfy { $0["doc"]?["t"]?.string == filler })
        }
        let some = try visitor.ask("GET", "/notes/_default/\(list)?include_docs=true&limit=7")
        #expect(try some.json()[key]?.array?.count == 7)
    }

    @Test func `the changes after a sequence include tombstones`() throws {
        let served = try Served { $0.limits.pageCount = 3 }
        for number in 0..<10 { try served.put("d\(number)", "{}") }
        let visitor = try served.visitor()
        let rev = try #require(try visitor.ask("GET", "/notes/_default/d3").field("ETag"))
        _ = try visitor.ask("DELETE", "/notes/_default/d3", "If-Match: \(rev)")
        let all = try visitor.ask("GET", "/notes/_default/_changes").json()
        #expect(all["results"]?.array?.count == 10)
        #expect(all["last_sequence"]?.int == 11)
        let last = try visitor.ask("GET", "/notes/_default/_changes?since=10").json()
        #expect(last["results"]?.array?.count == 1)
        #expect(last["results"]?.array?.first?["deleted"]?.bool == true)
        let some = try visitor.ask("GET", "/notes/_default/_changes?limit=4&include_docs=true")
        #expect(try some.json()["results"]?.array?.count == 4)
        #expect(try some.json()["last_sequence"]?.int == 5, "the fourth is gone from its place")
    }

    @Test func `a long poll returns at the first change or after the timeout`() throws {
        let served = try Served()
        try served.put("a", "{}")
        let visitor = try served.visitor()
        let poll = "/notes/_default/_changes?feed=longpoll&since=1"
        visitor.send("GET \(poll) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        // Whether it looks before or after this change, it reports it.
        try served.put("b", "{}")
        let answer = try visitor.readAnswer().json()
        #expect(answer["results"]?.array?.first?["id"]?.string == "b")
        let late = try visitor.ask(
            "GET",
            "/notes/_default/_changes?feed=longpoll&since=2&timeout=1"
        )
        #expect(try late.json()["results"]?.array?.isEmpty == true)
        #expect(try late.json()["last_sequence"]?.int == 2)
    }

    @Test func `an event stream sends each change once in order, and resumes after the last one`()
        throws
    {
        let served = try Served { $0.limits.heartbeat = .milliseconds(20) }
        let visitor = try served.visitor()
        let path = "/notes/_default/_changes?feed=eventsource"
        visitor.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 2\r\n\r\n")
        let head = String(decoding: try visitor.read(through: "\r\n\r\n"), as: UTF8.self)
        #expect(head.contains("text/event-stream"))
        _ = try visitor.read(through: ":\n\n")
        for number in 0..<50 { try served.put("d\(number)", "{}") }
        for number in 2..<50 {
            let event = String(decoding: try visitor.read(through: "}\n\n"), as: UTF8.self)
            #expect(event.contains("id: \(number + 1)\nevent: change\n"), "\(event)")
            #expect(event.contains("\"d\(number)\""))
        }
    }

    @Test func `a query with parameters returns rows and its plan`() throws {
        let served = try Served { $0.limits.pieceByteCount = 100 }
        for number in 0..<100 { try served.put("d\(number)", #"{"n":\#(number)}"#) }
        let visitor = try served.visitor()
        let question =
            #"{"query":"SELECT n, m FROM notes WHERE n >= $from","parameters":{"from":90}}"#
        let answer = try visitor.ask("POST", "/notes/_query", body: question).json()
        let numbers = try #require(answer["rows"]?.array).compactMap { $0["n"]?.int }
        #expect(Set(numbers) == Set(90..<100))
        let plan = try visitor.ask("POST", "/notes/_query?explain=true", body: question).json()
        #expect(plan["sql"]?.string?.contains("SELECT") == true)
        #expect(plan["steps"]?.array?.isEmpty == false)
        let wrong = #"{"query":"SELECT n FROM notes","parameters":{"x":1}}"#
        #expect(try visitor.ask("POST", "/notes/_query", body: wrong).status == 400)
        // The error in this one is detected when its first row is produced.
        let late = #"{"query":"SELECT REGEXP_LIKE('a', '(') FROM _"}"#
        let refusal = try visitor.ask("POST", "/notes/_query", body: late)
        #expect(refusal.status == 400, "\(refusal)")
        #expect(try refusal.json()["error"]?.string == "bad_query")
    }

    @Test func `a query returns a document of the maximum depth`() throws {
        let served = try Served()
        let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
        try served.put("deep", #"{"a":\#(deep)}"#)
        let answer = try served.visitor().ask(
            "POST",
            "/notes/_query",
            body: #"{"query":"SELECT * FROM notes"}"#
        )
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(deep))
    }

    /// A player seeks in a film, and a download resumes where it was interrupted.
    private func read(_ path: String, of content: String, by visitor: HTTPTestClient) throws {
        let whole = try visitor.ask("HEAD", path, "Range: bytes=0-9")
        #expect(whole.status == 200 && whole.field("Accept-Ranges") == "bytes")
        let tag = try #require(whole.field("ETag"))
        let part = try visitor.ask("GET", path, "Range: bytes=65530-131079", "If-Range: \(tag)")
        #expect(part.status == 206 && part.field("Content-Range") == "bytes 65530-131079/400000")
        #expect(part.text.utf8.elementsEqual(content.utf8.dropFirst(65_530).prefix(65_550)))
        let end = try visitor.ask("GET", path, "Range: bytes=-5")
        #expect(end.status == 206 && end.text == "ript>")
        let other = try visitor.ask("GET", path, "Range: bytes=-5", "If-Range: \"other\"")
        #expect(other.status == 200 && other.text == content)
        let behind = try visitor.ask("GET", path, "Range: bytes=400000-")
        #expect(behind.status == 416 && behind.field("Content-Range") == "bytes */400000")
        #expect(behind.text.isEmpty)
    }

    @Test func `a blob is stored under a document key and read back`() throws {
        let served = try Served()
        let rev = try served.put("a", #"{"n":1}"#)
        let visitor = try served.visitor()
        let content = String(repeating: "<script>", count: 50_000)
        let path = "/notes/_default/a/_blobs/pic"
        #expect(try visitor.ask("PUT", path, body: content).status == 400, "no revision")
        let put = try visitor.ask(
            "PUT",
            path,
            "If-Match: \"\(rev)\"",
            "Content-Type: text/html",
            body: content
        )
        #expect(put.status == 200)
        let got = try visitor.ask("GET", path)
        #expect(got.text == content)
        #expect(got.field("Content-Disposition") == "attachment", "a browser executes nothing")
        #expect(got.field("Content-Type") == "application/octet-stream")
        try read(path, of: content, by: visitor)
        let document = try visitor.ask("GET", "/notes/_default/a").json()
        #expect(document["pic"]?["content_type"]?.string == "text/html")
        #expect(try visitor.ask("GET", "/notes/_default/a/_blobs/no").status == 404)
        #expect(try visitor.ask("PUT", path, "If-Match: \"\(rev)\"", body: "x").status == 409)
    }

    @Test func `a long poll obeys its limit, and an event stream rejects one`() throws {
        let served = try Served()
        for number in 0..<5 { try served.put("d\(number)", "{}") }
        let poll = "/notes/_default/_changes?feed=longpoll&since=0&limit="
        let answer = try served.visitor().ask("GET", poll + "2").json()
        #expect(answer["results"]?.array?.count == 2 && answer["last_sequence"]?.int == 2)
        #expect(try served.visitor().ask("GET", poll + "x").status == 400)
        let stream = "/notes/_default/_changes?feed=eventsource&limit=2"
        #expect(try served.visitor().ask("GET", stream).status == 400)
    }
}
