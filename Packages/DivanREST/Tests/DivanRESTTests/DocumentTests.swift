import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// Documents over raw sockets: read, write with a revision, delete.
@Suite(.timeLimit(.minutes(5))) struct DocumentTests {
    @Test func `a document is created, read, replaced and deleted on one connection`() throws {
        try Served().visiting { visitor in
            let created = try visitor.ask("PUT", "/notes/_default/a%2Fb", body: #"{"n":1}"#)
            #expect(created.status == 201)
            let tag = try #require(created.field("ETag"))
            let read = try visitor.ask("GET", "/notes/_default/a%2Fb")
            #expect(read.text == #"{"n":1}"# && read.field("ETag") == tag)
            let changed = try visitor.ask(
                "PUT",
                "/notes/_default/a%2Fb",
                "If-Match: \(tag)",
                body: #"{"n":2}"#
            )
            #expect(changed.status == 200)
            let rev = try #require(try changed.json()["rev"]?.string)
            #expect(changed.field("ETag") == "\"\(rev)\"")
            let gone = try visitor.ask("DELETE", "/notes/_default/a%2Fb?rev=\(rev)")
            #expect(gone.status == 200)
            #expect(try visitor.ask("GET", "/notes/_default/a%2Fb").status == 404)
            let again = try visitor.ask("PUT", "/notes/_default/a%2Fb", body: "{}")
            #expect(again.status == 201, "a deleted document may be created")
        }
    }

    @Test func `a write over another revision than the current one is a conflict`() throws {
        let served = try Served()
        let first = try served.put("a", #"{"n":1}"#)
        let second = try served.put("a", #"{"n":2}"#)
        let visitor = try served.visitor()
        let tries: [(method: String, field: String, query: String)] = [
            ("PUT", "X: y", ""), ("PUT", "If-Match: \"\(first)\"", ""),
            ("PUT", "X: y", "?rev=\(first)"), ("PUT", "If-Match: \"x\"", ""),
            ("PUT", "If-None-Match: *", ""), ("DELETE", "X: y", "?rev=\(first)"),
            ("DELETE", "X: y", ""),
        ]
        for (method, field, query) in tries {
            let body = method == "PUT" ? "{}" : nil
            let answer = try visitor.ask(method, "/notes/_default/a\(query)", field, body: body)
            #expect(answer.status == 409, "\(method) \(field) \(query)")
            #expect(try answer.json()["error"]?.string == "conflict")
            #expect(try answer.json()["rev"]?.string == second)
        }
        let missing = try visitor.ask("PUT", "/notes/_default/none?rev=\(first)", body: "{}")
        #expect(missing.status == 409)
        #expect(try visitor.ask("GET", "/notes/_default/a").text == #"{"n":2}"#)
        let any = try visitor.ask("PUT", "/notes/_default/a", "If-Match: *", body: "{}")
        #expect(any.status == 200)
    }

    @Test func `If-None-Match with the current revision returns 304`() throws {
        let served = try Served()
        let rev = try served.put("a", #"{"n":1}"#)
        let visitor = try served.visitor()
        let answer = try visitor.ask("GET", "/notes/_default/a", "If-None-Match: \"\(rev)\"")
        #expect(answer.status == 304 && answer.body.isEmpty)
        let head = try visitor.ask("HEAD", "/notes/_default/a")
        #expect(head.status == 200 && head.field("Content-Length") == "7")
        #expect(try visitor.ask("GET", "/notes/_default/a").status == 200)
    }

    @Test func `a request for an old revision does not return the current one`() throws {
        let served = try Served()
        let first = try served.put("a", #"{"n":1}"#)
        let second = try served.put("a", #"{"n":2}"#)
        let visitor = try served.visitor()
        let path = "/notes/_default/a"
        #expect(try visitor.ask("GET", "\(path)?rev=\(second)").text == #"{"n":2}"#)
        #expect(try visitor.ask("GET", path, "If-Match: \"\(second)\"").status == 200)
        #expect(try visitor.ask("GET", path, "If-Match: *").status == 200)
        let old = try visitor.ask("GET", "\(path)?rev=\(first)")
        #expect(old.status == 404)
        #expect(try old.json()["reason"]?.string?.contains("is not current") == true)
        #expect(try visitor.ask("GET", path, "If-Match: \"\(first)\"").status == 412)
        #expect(try visitor.ask("HEAD", "\(path)?rev=1-a").status == 404)
        #expect(try visitor.ask("GET", "\(path)/_blobs/x?rev=\(first)").status == 404)
    }

    @Test func `a weak ETag matches the same revision`() throws {
        let served = try Served()
        let rev = try served.put("a", #"{"n":1}"#)
        let visitor = try served.visitor()
        let fresh = try visitor.ask("GET", "/notes/_default/a", "If-None-Match: W/\"\(rev)\"")
        #expect(fresh.status == 304)
        let saved = try visitor.ask(
            "PUT",
            "/notes/_default/a",
            "If-Match: W/\"\(rev)\"",
            body: #"{"n":2}"#
        )
        #expect(saved.status == 200)
    }

    @Test func `POST creates a document with a new ID`() throws {
        let served = try Served()
        let visitor = try served.visitor()
        let answer = try visitor.ask("POST", "/notes/_default", body: #"{"n":1}"#)
        #expect(answer.status == 201)
        let place = try #require(answer.field("Location"))
        #expect(try visitor.ask("GET", place).text == #"{"n":1}"#)
    }

    @Test(arguments: ["my db", "50%41", "a/b?c"])
    func `the Location header is valid for any database name`(name: String) throws {
        let store = Store.inMemory()
        let served = try Served { $0.databases = [ExactText(name): store] }
        let visitor = try served.visitor()
        let answer = try visitor.ask("POST", "/\(HTTPTarget.segment(name))/_default", body: "{}")
        let place = try #require(answer.field("Location"))
        #expect(try visitor.ask("GET", place).status == 200)
    }

    @Test(arguments: [
        ("PUT", "/notes/_default/a", "[1]", 400, "bad_request"),
        ("PUT", "/notes/_default/a", "{", 400, "bad_json"),
        ("PUT", "/notes/_default/a", #"{"_id":1}"#, 400, "bad_document"),
        ("PUT", "/notes/_default/_a", "{}", 404, "not_found"),
        ("PUT", "/notes/other.one/a", "{}", 404, "not_found"),
        ("PUT", "/else/_default/a", "{}", 404, "not_found"),
        ("PUT", "/notes/_default/a/b", "{}", 404, "not_found"),
        ("PATCH", "/notes/_default/a", "{}", 415, "unsupported_media_type"),
        ("BREW", "/notes/_default/a", "{}", 405, "method_not_allowed"),
        ("DELETE", "/notes/_default/none", "{}", 404, "not_found"),
        ("POST", "/notes/_query", "{}", 400, "bad_request"),
        (
            "POST", "/notes/_query", #"{"query":"SELECT n FROM _","parameters":[1]}"#, 400,
            "bad_request"
        ),
        ("POST", "/notes/_query", #"{"query":"SELEC"}"#, 400, "bad_query"),
        ("PUT", "/notes/_default/a?rev=1-a", "{}", 409, "conflict"),
    ])
    func `an error is JSON with a hint`(
        _ method: String,
        _ path: String,
        _ body: String,
        _ status: Int,
        _ code: String
    ) throws {
        let served = try Served()
        let visitor = try served.visitor()
        let answer = try visitor.ask(method, path, body: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try answer.json()["error"]?.string == code)
        #expect((try answer.json()["reason"]?.string ?? "").count > 10)
        #expect(try visitor.ask("GET", "/").status == 200, "the connection goes on")
    }

    @Test func `a blob cannot be stored under _attachments`() throws {
        let served = try Served()
        let tag = try served.put("a", "{}")
        let path = "/notes/_default/a/_blobs/_attachments?rev=\(tag)"
        let answer = try served.visitor().ask("PUT", path, body: "hello")
        #expect(answer.status == 400 && answer.text.contains("use another key"))
    }

    @Test func `a rejected blob is not stored`() throws {
        let served = try Served()
        _ = try served.put("a", "{}")
        for path in ["none/_blobs/k?rev=1-a", "a/_blobs/k?rev=1-a", "none/_blobs/k?rev=*"] {
            let answer = try served.visitor().ask("PUT", "/notes/_default/\(path)", body: "content")
            #expect([404, 409, 412].contains(answer.status), "\(answer.status)")
        }
        #expect(try served.store.blobs.usage().count == 0)
        let path = "/notes/_default/a/_blobs/k?rev=*"
        #expect(try served.visitor().ask("PUT", path, body: "content").status == 200)
        #expect(try served.store.blobs.usage().count == 1)
    }

    @Test func `invalid HTTP is rejected while others are served`() throws {
        let served = try Served()
        let odd = try served.visitor()
        odd.send("\u{16}\u{3}\u{1}hello\r\n\r\n")
        #expect(try odd.readAnswer().status == 400)
        #expect(odd.isAtEnd())
        let large = try served.visitor()
        large.send(
            "PUT /notes/_default/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
        )
        #expect(try large.readAnswer().status == 413)
        #expect(try served.visitor().ask("GET", "/").status == 200)
    }

    @Test func `silent connections do not block active clients`() throws {
        let served = try Served { $0.limits.http.connectionCount = 8 }
        let silent = try (0..<40).map { _ in try served.visitor() }
        for _ in 0..<20 { #expect(try served.visitor().ask("GET", "/").status == 200) }
        withExtendedLifetime(silent) {}
    }

    @Test func `pipelined requests are answered in order`() throws {
        let served = try Served()
        for number in 0..<50 { try served.put("d\(number)", #"{"n":\#(number)}"#) }
        let visitor = try served.visitor()
        visitor.send(
            (0..<50).map { "GET /notes/_default/d\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
                .joined()
        )
        for number in 0..<50 {
            #expect(try visitor.readAnswer().text == #"{"n":\#(number)}"#)
        }
    }
}

extension Served {
    /// Runs requests while the server is running.
    func visiting(_ body: (HTTPTestClient) throws -> Void) throws {
        try body(try visitor())
    }
}
