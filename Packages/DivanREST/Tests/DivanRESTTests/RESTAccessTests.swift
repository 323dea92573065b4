import DivanAuth
import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanREST
import DivanRevisions
import DivanTestKit
import Synchronization
import Testing

/// Who may connect, and what they may do.
@Suite(.timeLimit(.minutes(5))) struct RESTAccessTests {
    private static let shop = CollectionPath(scope: "shop", name: "chairs")

    /// `anna` with the password `a` may read `shop.chairs`.
    private func guarded(_ change: (inout AuthLimits) -> Void = { _ in }) throws -> Served {
        let served = try Served { configuration in
            change(&configuration.limits.logins)
            configuration.authenticator = PasswordListenerAuthenticator { name, password in
                password == String(name.prefix(1))
            }
            configuration.rights = { client, _ in
                switch client.user {
                case "anna":
                    RESTRights(collections: [Self.shop].compactMap { $0 }, isReadOnly: true)
                case "bo": .full
                default: nil
                }
            }
        }
        try served.store.createCollection(try #require(Self.shop))
        try served.put("oak", #"{"n":1}"#, in: try #require(Self.shop))
        try served.put("secret", "{}")
        return served
    }

    private let anna = "Authorization: Basic \(Base64Text.of("anna:a"))"
    private let bo = "Authorization: Basic \(Base64Text.of("bo:b"))"

    @Test func `a request without the password reveals nothing and its body is not read`() throws {
        let served = try guarded()
        for field in ["X: y", "Authorization: Basic \(Base64Text.of("anna:b"))"] {
            let visitor = try served.visitor()
            let answer = try visitor.ask("GET", "/notes/_default/secret", field)
            #expect(answer.status == 401)
            #expect(answer.field("WWW-Authenticate")?.hasPrefix("Basic") == true)
        }
        let visitor = try served.visitor()
        visitor.send(
            "PUT /notes/_default/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n"
        )
        #expect(try visitor.readAnswer().status == 401)
        #expect(visitor.isAtEnd())
    }

    @Test func `answers are reported with the user, the path without its query, and the status`()
        throws
    {
        let told = Mutex<[RESTAnswer]>([])
        let served = try Served { configuration in
            configuration.authenticator = PasswordListenerAuthenticator { _, password in
                password == "b"
            }
            configuration.onAnswer = { answer in told.withLock { $0.append(answer) } }
        }
        let visitor = try served.visitor()
        let requests: [(String, String, Int, Bool)] = [
            ("PUT", "/notes/_default/a%2Fb?rev=1-x", 409, true), ("GET", "/notes", 200, false),
            ("GET", "/notes/_query?query=SELECT+META().id+FROM+_", 200, false),
            ("DELETE", "/notes/_default/nothing", 404, true),
            ("POST", "/no/such/end/point", 404, true),
        ]
        #expect(try visitor.ask("GET", "/notes").status == 401)
        for (method, path, _, _) in requests {
            _ = try served.visitor().ask(method, path, bo)
        }
        let answers = told.withLock { $0 }
        #expect(answers.map(\.method) == requests.map(\.0))
        #expect(
            answers.map(\.path) == requests.map { String($0.1.prefix { $0 != "?" }) }
        )
        #expect(answers.map(\.isWriting) == requests.map(\.3))
        #expect(answers.allSatisfy { $0.client.user == "bo" })
        #expect(answers.dropFirst().map(\.status) == requests.dropFirst().map(\.2))
        #expect(answers.first.map { $0.status >= 400 } == true)
    }

    @Test func `a refusal is reported with the user name`() throws {
        let told = Mutex<[RESTRefusal]>([])
        let served = try Served { configuration in
            configuration.authenticator = PasswordListenerAuthenticator { _, _ in false }
            configuration.onRefusal = { refusal in told.withLock { $0.append(refusal) } }
        }
        _ = try served.visitor().ask("GET", "/notes/_default/a")
        _ = try served.visitor().ask("GET", "/notes", anna)
        _ = try served.visitor().ask("GET", "/else", bo)
        let refusals = told.withLock { $0 }
        #expect(refusals.map(\.status) == [401, 401, 401])
        #expect(refusals.map(\.claimedUser) == [nil, "anna", "bo"])
        #expect(refusals.map(\.showedCredentials) == [false, true, true])
        #expect(refusals.map(\.database) == ["notes", "notes", nil])
        #expect(refusals.allSatisfy { $0.address == "127.0.0.1" })
    }

    /// Admits whoever has the key of this test.
    private struct KeyAuthenticator: ListenerAuthenticator {
        var credentialFields: [String] { ["X-API-Key"] }

        func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
            let isRight = request.headers.contains { $0.name == "X-API-Key" && $0.value == "right" }
            return isRight ? .accepted(user: nil) : .refused(challenge: "Key")
        }
    }

    @Test func `repeated wrong API keys are rejected like wrong passwords`() throws {
        let served = try Served { configuration in
            configuration.authenticator = KeyAuthenticator()
            configuration.limits.logins.freeLoginFailureCount = 3
            configuration.limits.logins.longestLoginDelay = .milliseconds(100)
        }
        func status(_ field: String) throws -> Int {
            try served.visitor().ask("GET", "/notes", field).status
        }
        #expect(try status("X-API-Key: right") == 200)
        for _ in 0..<8 { #expect(try status("User-Agent: a") == 401) }
        for number in 0..<3 { #expect(try status("X-API-Key: \(number)") == 401) }
        let guessers = try (3..<15).map { _ in try served.visitor() }
        for (number, guesser) in guessers.enumerated() {
            guesser.send("GET /notes HTTP/1.1\r\nHost: localhost\r\nX-API-Key: \(number)\r\n\r\n")
        }
        let codes = try guessers.map { try $0.readAnswer().status }
        #expect(codes.contains(429) && Set(codes).isSubset(of: [401, 429]), "\(codes)")
        #expect(try status("X-API-Key: right") == 200, "it came in before")
    }

    @Test func `concurrent wrong passwords get 429 and do not delay others`() throws {
        let served = try guarded { limits in
            limits.freeLoginFailureCount = 1
            limits.longestLoginDelay = .milliseconds(300)
        }
        let guess = "Authorization: Basic \(Base64Text.of("anna:b"))"
        #expect(try served.visitor().ask("GET", "/notes", guess).status == 401)
        let guessers = try (0..<20).map { _ in try served.visitor() }
        for guesser in guessers {
            guesser.send("GET /notes HTTP/1.1\r\nHost: localhost\r\n\(guess)\r\n\r\n")
        }
        let statuses = try guessers.map { try $0.readAnswer().status }
        #expect(statuses.contains(401) && statuses.contains(429))
        #expect(Set(statuses).count == 2)
        #expect(try served.visitor().ask("GET", "/notes", bo).status == 200)
    }

    @Test func `a user sees only the granted collections`() throws {
        let served = try guarded()
        let visitor = try served.visitor()
        #expect(try visitor.ask("GET", "/notes/shop.chairs/oak", anna).status == 200)
        #expect(try visitor.ask("GET", "/notes/_default/secret", anna).status == 404)
        #expect(try visitor.ask("GET", "/notes/_default/_changes", anna).status == 404)
        #expect(try visitor.ask("GET", "/notes", anna).json()["collections"]?.array?.count == 1)
        let query = { (source: String) in #"{"query":"SELECT META().id FROM \#(source)"}"# }
        let own = try visitor.ask("POST", "/notes/_query", anna, body: query("shop.chairs"))
        #expect(try own.json()["rows"]?.array?.count == 1)
        let hidden = try visitor.ask("POST", "/notes/_query", anna, body: query("notes"))
        #expect(hidden.status == 400, "the default collection, under the database's name")
        let inner = "shop.chairs WHERE EXISTS (SELECT 1 FROM _default._default)"
        #expect(try visitor.ask("POST", "/notes/_query", anna, body: query(inner)).status == 400)
        let absent = try visitor.ask("POST", "/notes/_query", anna, body: query("s.x"))
        let other = try visitor.ask("POST", "/notes/_query", bo, body: query("s.x"))
        #expect(absent.text == other.text && absent.status == 400)
        let put = try visitor.ask("PUT", "/notes/shop.chairs/x", anna, body: "{}")
        #expect(put.status == 403)
        #expect(try visitor.ask("PUT", "/notes/shop.chairs/x", bo, body: "{}").status == 201)
        let carl = "Authorization: Basic \(Base64Text.of("carl:c"))"
        #expect(try visitor.ask("GET", "/notes", carl).status == 404)
        #expect(try visitor.ask("GET", "/", carl).json()["databases"]?.array?.isEmpty == true)
    }

    @Test func `a document cannot reference a blob of a document that the user cannot read`() throws
    {
        let served = try Served { configuration in
            configuration.rights = { _, _ in RESTRights(collections: [.default]) }
        }
        let digest = try served.store.blobs.write(Array("secret".utf8))
        let body = #"{"p":{"@type":"blob","digest":"\#(digest)","length":6}}"#
        let answer = try served.visitor().ask("PUT", "/notes/_default/x", body: body)
        #expect(answer.status == 400)
        let open = try Served()
        _ = try open.store.blobs.write(Array("secret".utf8))
        #expect(try open.visitor().ask("PUT", "/notes/_default/x", body: body).status == 201)
    }

    /// A form needs no permission from the server, and is sent with the browser's stored credentials.
    @Test func `a cross-origin form is rejected even if all origins are allowed`() throws {
        let served = try Served { $0.origins = ["*"] }
        for (type, status) in [
            ("text/plain", 403), ("application/json", 201),
            ("application/json; charset=utf-8", 201),
        ] {
            let origin = "Origin: https://else.example"
            let kind = "Content-Type: \(type)"
            let answer = try served.visitor().ask(
                "POST",
                "/notes/_default",
                origin,
                kind,
                body: "{}"
            )
            #expect(answer.status == status, "\(type)")
        }
        #expect(try served.visitor().ask("POST", "/notes/_default", body: "{}").status == 201)
    }

    @Test func `other origins get no CORS headers unless they are allowed`() throws {
        let closed = try Served()
        let silent = try closed.visitor().ask("GET", "/", "Origin: https://evil.example")
        #expect(silent.field("Access-Control-Allow-Origin") == nil)
        let served = try Served { $0.origins = ["https://app.example"] }
        let visitor = try served.visitor()
        let heard = try visitor.ask("GET", "/", "Origin: https://app.example")
        #expect(heard.field("Access-Control-Allow-Origin") == "https://app.example")
        let asked = try visitor.ask(
            "OPTIONS",
            "/notes/_default/a",
            "Origin: https://app.example",
            "Access-Control-Request-Method: PUT"
        )
        #expect(asked.status == 204)
        #expect(asked.field("Access-Control-Allow-Methods")?.contains("PUT") == true)
        let evil = try visitor.ask("GET", "/", "Origin: https://evil.example")
        #expect(evil.field("Access-Control-Allow-Origin") == nil)
    }

    /// An endless feed would take up a connection for as long as the page is open.
    @Test(arguments: [
        (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
        (["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"], 403),
        (
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
            403
        ),
        (
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
            200
        ),
        (["Sec-Fetch-Site: cross-site", "Origin: https://app.example"], 200),
        (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors"], 200), (["X: y"], 200),
    ])
    func `without authentication a page of another site reads nothing`(
        fields: [String],
        status: Int
    ) throws {
        let served = try Served { $0.origins = ["https://app.example"] }
        let lines = fields.joined(separator: "\r\n")
        #expect(try served.visitor().ask("GET", "/notes", lines).status == status)
        let guarded = try guarded()
        #expect(try guarded.visitor().ask("GET", "/notes", lines, bo).status == 200)
    }

    /// A browser sends such a POST without a preflight request.
    @Test(arguments: [
        ("Origin: https://evil.example", 403), ("Origin: null", 403), ("X: y", 201),
        ("Origin: http://localhost", 201), ("Origin: https://app.example", 201),
    ])
    func `a page of another origin changes nothing unless the origin is allowed`(
        field: String,
        status: Int
    ) throws {
        let served = try Served { $0.origins = ["https://app.example"] }
        let answer = try served.visitor().ask("POST", "/notes/_default", field, body: "{}")
        #expect(answer.status == status)
        let stored = try served.visitor().ask("GET", "/notes/_default/_all_docs").json()["rows"]
        #expect(stored?.array?.count == (status == 201 ? 1 : 0))
    }

    @Test(arguments: [
        ("evil.example", 421), ("evil.example:4985", 421), ("127.0.0.1.evil.example", 421),
        ("evil.example.", 421), ("evil.example..", 421), ("localhost.evil.example", 421),
        ("127.0.0.1", 200),
        ("localhost:4985", 200), ("LocalHost", 200), ("[::1]:4985", 200), ("Notes.Example:80", 200),
        ("jukebox", 421), ("jukebox.local", 421), ("a.internal", 421), ("a.home.arpa", 421),
        ("", 421), ("localhost:x", 421), ("203.0.113.7", 421),
    ])
    func `without authentication an unknown Host is rejected`(host: String, status: Int) throws {
        let served = try Served { $0.hostNames = ["notes.example"] }
        let answer = try served.visitor().ask("GET", "/notes", naming: "Host: \(host)")
        #expect(answer.status == status)
        let guarded = try guarded()
        let asked = try guarded.visitor().ask("GET", "/notes", naming: "Host: \(host)", bo)
        #expect(asked.status == 200, "who is asked for a password is not let in by a name")
    }

    @Test(arguments: [
        ("GET http://evil.example/notes HTTP/1.1\r\nHost: localhost\r\n\r\n", 421),
        ("GET HTTP://evil.example:80/notes HTTP/1.1\r\nHost: localhost\r\n\r\n", 421),
        ("GET http://a@localhost/notes HTTP/1.1\r\nHost: localhost\r\n\r\n", 421),
        ("GET http://localhost:4985/notes HTTP/1.1\r\nHost: evil.example\r\n\r\n", 200),
        ("GET /notes HTTP/1.0\r\n\r\n", 421), ("GET /notes HTTP/1.0\r\nHost: ::1\r\n\r\n", 421),
        ("GET /notes HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
    ])
    func `an absolute target determines the host, which a request must name`(
        request: String,
        status: Int
    ) throws {
        let served = try Served()
        let visitor = try served.visitor()
        visitor.send(request)
        #expect(try visitor.readAnswer().status == status)
    }

    @Test func `with a list of host names, other hosts are rejected despite a password`() throws {
        let served = try Served { configuration in
            configuration.authenticator = PasswordListenerAuthenticator { _, _ in true }
            configuration.hostNames = ["notes.example"]
        }
        for (host, status) in [("notes.example", 200), ("127.0.0.1", 200), ("evil.example", 421)] {
            let answer = try served.visitor().ask("GET", "/notes", naming: "Host: \(host)", bo)
            #expect(answer.status == status, "\(host)")
        }
    }

    @Test func `wrong and missing credentials have different messages`() throws {
        let served = try guarded()
        func reason(_ field: String) throws -> String {
            try served.visitor().ask("GET", "/notes", field).json()["reason"]?.string ?? ""
        }
        #expect(try reason("X: y").hasPrefix("send a user name and password"))
        let wrong = "Authorization: Basic \(Base64Text.of("anna:b"))"
        #expect(try reason(wrong) == "wrong user name or password")
        #expect(try reason("Authorization: Bearer x").hasPrefix("the token is invalid"))
    }

    /// Whoever is connected: with an endless answer, waiting for one, between two requests.
    @Test(arguments: ["eventsource", "longpoll", "normal"])
    func `changed rights close the client's connections at once`(feed: String) throws {
        let edition = Atomic<UInt64>(1)
        let served = try Served { configuration in
            configuration.rights = { _, _ in
                var rights = RESTRights()
                rights.edition = edition.load(ordering: .relaxed)
                return rights
            }
        }
        try served.put("a", "{}")
        let since = feed == "longpoll" ? "&since=1" : ""
        let visitors = try ["/notes/_default/_changes?feed=\(feed)\(since)", "/"].map { path in
            let visitor = try served.visitor()
            visitor.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return visitor
        }
        if feed == "normal" {
            _ = try visitors[0].readAnswer()
        } else {
            _ = try visitors[0].read(through: feed == "longpoll" ? "\r\n\r\n" : "\n\n\r\n")
        }
        _ = try visitors[1].readAnswer()
        served.server.dropOutdated()
        #expect(try visitors[1].ask("GET", "/").status == 200, "nothing has changed")
        edition.add(1, ordering: .relaxed)
        served.server.dropOutdated()
        #expect(visitors[0].isAtEnd())
        #expect(try visitors[1].ask("GET", "/").status == 200, "it sees the same databases")
        #expect(try served.visitor().ask("GET", "/notes").status == 200)
    }
}

/// Base64 of short texts.
enum Base64Text {
    static func of(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let number = (0..<3).reduce(0) { sum, offset in
                sum << 8 | (offset < group.count ? Int(group[start + offset]) : 0)
            }
            for position in 0..<4 {
                let isFilled = position <= group.count
                result.append(isFilled ? letters[number >> (18 - 6 * position) & 63] : "=")
            }
        }
        return result
    }
}
