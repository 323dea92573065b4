import DivanHTTP
import DivanJSON
import DivanPlatform
import DivanStudio
import DivanTestKit
import Testing

/// Who may access the studio, over raw sockets.
@Suite(.timeLimit(.minutes(5))) struct StudioAccessTests {
    @Test func `the token sets a cookie, which authorizes later requests`() throws {
        let room = try StudioFixture()
        let visitor = try HTTPTestClient(port: room.port)
        let host = "Host: 127.0.0.1:\(room.port)"
        let welcome = try visitor.ask("GET", "/?token=\(room.token)", naming: host)
        #expect(welcome.status == 303 && welcome.field("Location") == "/")
        for place in ["//evil.example/", "/\\evil.example/", "/%2Fevil.example"] {
            let away = try visitor.ask("GET", "\(place)?token=\(room.token)", naming: host)
            #expect(away.field("Location") == "/", "and leads nowhere else")
        }
        let page = try visitor.ask("GET", "/index.json?token=\(room.token)", naming: host)
        #expect(page.field("Location") == "/index.json")
        let cookie = try #require(welcome.field("Set-Cookie"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        let pair = try #require(cookie.split(separator: ";").first)
        let start = try visitor.ask("GET", "/", naming: host, "Cookie: a=b; \(pair)")
        #expect(start.status == 200 && start.text.contains("<!doctype html>"))
        #expect(start.field("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
        #expect(start.field("X-Content-Type-Options") == "nosniff")
        let name = "divan-studio-\(room.port)"
        for old in ["\(name)=old; \(pair)", "\(pair); \(name)=old", "\(name)=; a=b; \(pair)"] {
            let again = try visitor.ask("GET", "/", naming: host, "Cookie: \(old)")
            #expect(again.status == 200, "next to a cookie of an earlier studio: \(old)")
        }
        let stale = try visitor.ask("GET", "/", naming: host, "Cookie: \(name)=old; \(name)=older")
        #expect(stale.status == 403)
    }

    @Test func `requests without a valid token reveal nothing`() throws {
        let room = try StudioFixture()
        try room.put("secret", #"{"n":1}"#)
        let visitor = try HTTPTestClient(port: room.port)
        let host = "Host: 127.0.0.1:\(room.port)"
        let wrong = String(room.token.dropLast()) + (room.token.hasSuffix("A") ? "B" : "A")
        for (path, field) in [
            ("/", "X: y"), ("/index.json", "X: y"), ("/studio.js", "X: y"),
            ("/?token=\(wrong)", "X: y"), ("/?token=", "X: y"),
            ("/", "Cookie: divan-studio-\(room.port)=\(wrong)"),
            ("/document.json?id=secret", "Cookie: divan-studio-1=\(room.token)"),
        ] {
            let answer = try visitor.ask("GET", path, naming: host, field)
            #expect(answer.status == 403, "\(path) \(field)")
            #expect(!answer.text.contains("secret") && answer.field("Set-Cookie") == nil)
        }
    }

    /// A browser shows the cookie to every port of 127.0.0.1; only root can become another user.
    @Test(.enabled(if: CurrentProcess.effectiveUser == 0 && Program.installed("setpriv") != nil))
    func `the cookie is not accepted from another user of the machine`() throws {
        let room = try StudioFixture()
        let host = "Host: 127.0.0.1:\(room.port)"
        let cookie = "Cookie: divan-studio-\(room.port)=\(room.token)"
        let visitor = try HTTPTestClient(port: room.port)
        #expect(try visitor.ask("GET", "/index.json", naming: host, cookie).status == 200)
        let become = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "/bin/bash", "-c"]
        for path in ["/index.json", "/?token=\(room.token)"] {
            let fields = [host, cookie, "Connection: close", "", ""].joined(separator: #"\r\n"#)
            let request = #"'GET \#(path) HTTP/1.1\r\n\#(fields)'"#
            let script =
                "exec 3<>/dev/tcp/127.0.0.1/\(room.port) && printf \(request) >&3 && head -n 1 <&3"
            let other = try #require(Program.installed("setpriv")).run(become + [script])
            #expect(other.output.contains(" 403 "), "\(other)")
        }
        #expect(try visitor.ask("GET", "/index.json", naming: host, cookie).status == 200)
    }

    @Test func `an unknown Host is rejected even with the right cookie`() throws {
        let room = try StudioFixture()
        let visitor = try HTTPTestClient(port: room.port)
        for host in ["evil.example", "evil.example:\(room.port)", "127.0.0.1", "127.0.0.1:1"] {
            let answer = try visitor.ask(
                "GET",
                "/?token=\(room.token)",
                naming: "Host: \(host)",
                "Cookie: divan-studio-\(room.port)=\(room.token)"
            )
            #expect(answer.status == 421, "\(host)")
        }
    }

    @Test func `changes are accepted only from the studio's page and with write access`() throws {
        let body = #"{"n":1}"#
        for (mayWrite, origin, type, status) in [
            (true, "own", "application/json", 200),
            (true, "http://evil.example", "application/json", 403),
            (true, "own", "text/plain", 403), (true, "none", "application/json", 403),
            (false, "own", "application/json", 403),
        ] {
            let room = try StudioFixture(mayWrite: mayWrite)
            let visitor = try HTTPTestClient(port: room.port)
            let from = origin == "own" ? room.origin : origin
            let answer = try visitor.ask(
                "PUT",
                "/document.json?id=a",
                naming: "Host: 127.0.0.1:\(room.port)",
                "Cookie: divan-studio-\(room.port)=\(room.token)",
                origin == "none" ? "X: y" : "Origin: \(from)",
                "Content-Type: \(type)",
                body: body
            )
            #expect(answer.status == status, "\(mayWrite) \(origin) \(type): \(answer.text)")
            #expect(try room.body(of: "a") == (status == 200 ? body : nil))
        }
    }

    @Test func `each page is available as JSON`() throws {
        let room = try StudioFixture()
        try room.makeConflict("chair")
        let visitor = try HTTPTestClient(port: room.port)
        for (path, member) in [
            ("/index.json", "collections"), ("/collection.json", "rows"),
            ("/document.json?id=chair", "revisions"), ("/conflicts.json", "conflicts"),
            ("/conflict.json?id=chair", "merged"), ("/changes.json", "changes"),
            ("/indexes.json", "indexes"), ("/peers.json", "processes"),
            ("/schema.json", "properties"), ("/collection.json?where=price+%3E+0", "matching"),
            ("/revision.json?id=chair&rev=1-5d1f0a3b7c9e2d4f6a8b0c1d3e5f7a9b", "doc"),
            ("/query.json?q=SELECT+1+AS+one+FROM+_", "plan"),
        ] {
            let answer = try visitor.ask(
                "GET",
                path,
                naming: "Host: 127.0.0.1:\(room.port)",
                "Cookie: divan-studio-\(room.port)=\(room.token)"
            )
            #expect(answer.status == 200, "\(path): \(answer.text)")
            #expect(try answer.json()[member] != nil, "\(path)")
        }
    }

    @Test func `a document with many blob references gives a short page`() throws {
        let room = try StudioFixture()
        let blob = #"{"@type":"blob","digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}"#
        let blobs = repeatElement(blob, count: 300).joined(separator: ",")
        let visitor = try HTTPTestClient(port: room.port)
        for (name, shownCount) in [("n", 200), (String(repeating: "n", count: 50_000), 0)] {
            let body = #"{"\#(name)":[\#(blobs)]}"#
            try room.put("many", body, hasBlobs: true)
            let answer = try visitor.ask(
                "GET",
                "/document.json?id=many",
                naming: "Host: 127.0.0.1:\(room.port)",
                "Cookie: divan-studio-\(room.port)=\(room.token)"
            )
            #expect(try answer.json()["blobs"]?.array?.count == shownCount)
            #expect(answer.body.count < 3 * body.utf8.count)
        }
    }
}
