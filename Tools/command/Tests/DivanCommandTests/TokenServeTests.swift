import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan serve --jwt-issuer` with an issuer made by the `openssl` command.
@Suite(.timeLimit(.minutes(5))) struct TokenServeTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "notes")
        try shell.run("put", "notes", "soup", #"{"owner":"anna"}"#)
        try shell.run("put", "notes", "stew", #"{"owner":"bo"}"#)
        try shell.write(
            "roles.json",
            #"{"cook":{},"guest":{"readOnly":true,"where":"owner = $user","queries":[]}}"#
        )
        try makeKey("1")
        try writeKeys("1")
    }

    // MARK: The issuer

    private static let encode = "encode() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }\n"

    private func makeKey(_ id: String) throws {
        try shell.bash("openssl genpkey -algorithm ED25519 -out key\(id)").expectSuccess()
    }

    /// Replaces the file, as an issuer's or operator's script does.
    private func writeKeys(_ ids: String...) throws {
        let keys = ids.map { id in
            #"{"kty":"OKP","crv":"Ed25519","kid":"\#(id)","x":"'"#
                + #""$(openssl pkey -in key\#(id) -pubout -outform DER | tail -c 32 | encode)""#
                + #"'"}"#
        }
        try shell.bash(
            Self.encode + "printf %s '{\"keys\":[\(keys.joined(separator: ","))]}' > new.json\n"
                + "mv new.json keys.json"
        ).expectSuccess()
    }

    private func token(
        _ claims: String = "",
        key: String = "1",
        header: String = #"{"alg":"EdDSA","kid":"1"}"#,
        lasting seconds: Int = 600
    ) throws -> String {
        let end = Int(Date().timeIntervalSince1970) + seconds
        let body =
            #"{"iss":"https://id.example","aud":"divan","sub":"anna","exp":\#(end)\#(claims)}"#
        let outcome = try shell.bash(
            Self.encode
                + "message=$(printf %s '\(header)' | encode).$(printf %s '\(body)' | encode)\n"
                + "printf %s \"$message\" > message\n"
                + "openssl pkeyutl -sign -rawin -inkey key\(key) -in message -out signature\n"
                + "printf %s \"$message.$(encode < signature)\""
        )
        outcome.expectSuccess()
        return outcome.output
    }

    // MARK: The server

    private func serve(keys: String = "keys.json", _ options: String...) throws -> Peer {
        try shell.start(
            ["serve", "notes", "--no-tls", "--interface", "127.0.0.1", "--rest", "0"]
                + ["--jwt-issuer", "https://id.example", "--jwt-audience", "divan"]
                + ["--jwt-keys", keys, "--jwt-clock-skew", "0"] + options
        )
    }

    /// Ports of the REST interface and of the listener.
    private func ports(_ server: Peer) throws -> (rest: UInt16, sync: UInt16) {
        let event = try server.event(named: "listening")
        let rest = try #require((event["rest"] as? String).flatMap { URL(string: $0)?.port })
        let sync = try #require(event["port"] as? Int)
        return (UInt16(rest), UInt16(sync))
    }

    private func ask(
        _ port: UInt16,
        _ path: String,
        _ token: String,
        _ method: String = "GET"
    ) throws -> HTTPTestClient.Answer {
        let body = method == "GET" ? nil : #"{"owner":"anna"}"#
        return try HTTPTestClient(port: port).ask(
            method,
            "/notes\(path)",
            "Authorization: Bearer \(token)",
            body: body
        )
    }

    private func connect(_ port: UInt16, _ token: String) throws -> (HTTPTestClient, status: Int) {
        let client = try HTTPTestClient(port: port)
        let answer = try client.ask(
            "GET",
            "/notes/_blipsync",
            "Authorization: Bearer \(token)",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3"
        )
        return (client, answer.status)
    }

    private func follow(_ port: UInt16, _ token: String) throws -> HTTPTestClient {
        let stream = try HTTPTestClient(port: port)
        stream.send(
            "GET /notes/_default/_changes?feed=eventsource HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(token)\r\n\r\n"
        )
        _ = try stream.read(through: "\n\n\r\n")
        return stream
    }

    /// Waits for the end of a connection; a client's own timeout would take ten seconds.
    private func expectEnd(_ client: HTTPTestClient, _ label: String) {
        let begin = ContinuousClock.now
        #expect(throws: HTTPTestClient.Failure.self) { try client.read(through: "\u{1}never") }
        #expect(ContinuousClock.now - begin < .seconds(9), "\(label)")
    }

    // MARK: Tests

    @Test func `tokens of the issuer are accepted by the listener and REST, and no others`() throws
    {
        let server = try serve()
        let ports = try ports(server)
        let good = try token()
        #expect(try ask(ports.rest, "/_default/soup", good).status == 200)
        #expect(try connect(ports.sync, good).status == 101)
        try makeKey("2")
        let parts = good.split(separator: ".")
        let unsigned = #"{"alg":"none"}"#
        let bad = [
            "expired": try token(lasting: -1), "audience": try token(#","aud":"other""#),
            "issuer": try token(#","iss":"https://evil.example""#),
            "key": try token(key: "2"), "none": try token(header: unsigned),
            "confused": try token(header: #"{"alg":"HS256","kid":"1"}"#),
            "unsigned": "\(parts[0]).\(parts[1]).", "early": try token(#","nbf":99999999999"#),
            "empty": "",
        ]
        for (name, token) in bad {
            #expect(try ask(ports.rest, "/_default/soup", token).status == 401, "\(name)")
            #expect(try connect(ports.sync, token).status == 401, "\(name)")
        }
        server.stop()
    }

    @Test func `a connection ends when its token expires`() throws {
        let server = try serve()
        let ports = try ports(server)
        let token = try token(lasting: 6)
        let stream = try follow(ports.rest, token)
        let (sync, status) = try connect(ports.sync, token)
        #expect(status == 101)
        let lasting = try follow(ports.rest, self.token())
        expectEnd(stream, "event stream")
        expectEnd(sync, "sync")
        #expect(try ask(ports.rest, "", token).status == 401)
        // Another client's connection continues.
        try shell.run("put", "notes", "pho", "{}")
        _ = try lasting.read(through: "pho")
        server.stop()
    }

    @Test func `changed keys are used within a second, and end connections of removed keys`() throws
    {
        let server = try serve()
        let ports = try ports(server)
        let old = try token()
        try makeKey("2")
        let new = try token(key: "2", header: #"{"alg":"EdDSA","kid":"2"}"#)
        let stream = try follow(ports.rest, old)
        #expect(try ask(ports.rest, "", new).status == 401)
        try writeKeys("1", "2")
        try eventually { try ask(ports.rest, "", new).status == 200 }
        #expect(try ask(ports.rest, "", old).status == 200)
        // Unreadable keys change nothing.
        try shell.write("keys.json", "{")
        _ = try server.event(named: "problem")
        #expect(try ask(ports.rest, "", old).status == 200)
        try writeKeys("2")
        expectEnd(stream, "event stream")
        #expect(try ask(ports.rest, "", old).status == 401)
        #expect(try ask(ports.rest, "", new).status == 200)
        server.stop()
    }

    @Test func `keys are downloaded from a URL, and again at SIGHUP`() throws {
        let first = try keyAnswer()
        let old = try token()
        try makeKey("2")
        try writeKeys("2")
        let issuer = try HandshakeServer(answers: [first, try keyAnswer()])
        let server = try serve(keys: "http://127.0.0.1:\(issuer.port)/keys")
        let port = try ports(server).rest
        let new = try token(key: "2", header: #"{"alg":"EdDSA","kid":"2"}"#)
        #expect(try ask(port, "", old).status == 200)
        #expect(try ask(port, "", new).status == 401)
        server.process.signal(.hangup)
        try eventually { try ask(port, "", new).status == 200 }
        #expect(try ask(port, "", old).status == 401)
        // The issuer has ended, so this download fails: the keys remain valid.
        server.process.signal(.hangup)
        _ = try server.event(named: "problem")
        #expect(try ask(port, "", new).status == 200)
        server.stop()
    }

    /// An HTTP response with the keys in the file.
    private func keyAnswer() throws -> String {
        let keys = try shell.text("keys.json")
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        return head + "Content-Length: \(keys.utf8.count)\r\n\r\n" + keys
    }

    /// Retries while a watcher has not noticed a change yet.
    private func eventually(_ isTrue: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(10)
        while try !isTrue() {
            guard ContinuousClock.now < end else {
                Issue.record("it did not happen within ten seconds")
                return
            }
        }
    }

    @Test func `roles in a token decide what its user may do`() throws {
        try shell.write("secret.txt", "hers\n")
        try shell.run("users", "add", "users.json", "bo", "--password-file", "secret.txt")
        let server = try serve(
            "--jwt-roles",
            "roles.json",
            "--jwt-role-claim",
            "groups",
            "--users",
            "users.json"
        )
        let port = try ports(server).rest
        let guest = try token(#","groups":["other","guest"]"#)
        let cook = try token(#","groups":"cook guest""#)
        #expect(try ask(port, "/_default/soup", guest).status == 200)
        #expect(try ask(port, "/_default/stew", guest).status == 404)
        #expect(try ask(port, "/_default/pho", guest, "PUT").status == 403)
        #expect(try ask(port, "/_query?query=SELECT+1+FROM+_", guest).status == 403)
        #expect(try ask(port, "/_default/stew", cook).status == 200)
        #expect(try ask(port, "/_default/pho", cook, "PUT").status == 201)
        for other in ["", #","groups":["other"]"#, #","groups":{"cook":1}"#] {
            #expect(try ask(port, "/_default/soup", token(other)).status == 401, "\(other)")
        }
        let login = Data("bo:hers".utf8).base64EncodedString()
        let field = "Authorization: Basic \(login)"
        let stew = try HTTPTestClient(port: port).ask("GET", "/notes/_default/stew", field)
        #expect(stew.status == 200, "passwords are accepted as well")
        server.stop()
    }

    @Test func `SIGHUP reloads the roles, or keeps them if the file is invalid`() throws {
        let server = try serve("--jwt-roles", "roles.json")
        let port = try ports(server).rest
        let guest = try token(#","roles":["guest"]"#)
        #expect(try ask(port, "/_default/stew", guest).status == 404)
        try shell.write("roles.json", #"{"guest":{}}"#)
        server.process.signal(.hangup)
        // A connection whose rights change meanwhile is closed.
        try eventually { (try? ask(port, "/_default/stew", guest).status) == 200 }
        try shell.write("roles.json", "{")
        server.process.signal(.hangup)
        let problem = try server.event(named: "problem")
        #expect((problem["text"] as? String)?.contains("roles.json") == true)
        #expect(try ask(port, "/_default/stew", guest).status == 200)
        server.stop()
    }

    @Test func `divan sync sends a token from a file, and reads it again when it is refused`()
        throws
    {
        let server = try serve()
        let url = "ws://127.0.0.1:\(try ports(server).sync)/notes"
        try shell.write("token", try token() + "\n")
        try shell.run("new", "copy")
        try shell.run("sync", "copy", url, "--token-file", "token")
        #expect(try shell.run("get", "copy", "soup").output.contains("anna"))
        try shell.run("doctor", url, "--token-file", "token")
        try shell.write("token", try token(lasting: -1))
        try shell.divan("sync", "copy", url, "--token-file", "token").expectFailure(7, "the token")
        try shell.divan("sync", "copy", url, "--token-file", "nosuch").expectFailure(3, "nosuch")
        try shell.write("token", "\u{1}")
        try shell.divan("sync", "copy", url, "--token-file", "token").expectFailure(4, "token")
        try shell.divan("sync", "copy", url, "--token-file", "token", "--user", "bo").expectFailure(
            2
        )
        // The connection of a removed key ends; the next one needs the new token.
        try shell.write("token", try token())
        let follower = try shell.start(
            "sync",
            "copy",
            url,
            "--token-file",
            "token",
            "--continuous",
            "--max-wait",
            "1"
        )
        try follower.wait(for: "idle")
        try makeKey("2")
        try shell.write("token", try token(key: "2", header: #"{"alg":"EdDSA","kid":"2"}"#))
        try writeKeys("2")
        try follower.wait(for: "offline")
        try follower.wait(for: "idle")
        follower.stop()
        server.stop()
    }

    @Test func `the configuration of the serving guide accepts tokens`() throws {
        let guide = try Guide("serving.md", runs: "json tokens", "json roles")
        try shell.write("roles.json", guide.script("json roles"))
        let file = guide.script("json tokens").replacing("/etc/divan/", with: shell.path(""))
        try shell.write(
            "serve.json",
            file.replacing("https://id.example.org", with: "https://id.example")
        )
        let server = try shell.start([
            "serve", "--config", "serve.json", "--no-tls", "--interface", "127.0.0.1", "--rest",
            "0",
        ])
        let port = try ports(server).rest
        #expect(try ask(port, "/_default/soup", token(#","groups":["cook"]"#)).status == 200)
        #expect(try ask(port, "/_default/soup", token(#","groups":["guest"]"#)).status == 404)
        server.stop()
    }

    @Test(arguments: [
        (["--jwt-keys", "keys.json"], 2, "requires '--jwt-issuer'"),
        (["--jwt-issuer", "a"], 2, "requires '--jwt-audience'"),
        (["--jwt-issuer", "a", "--jwt-audience", "b", "--jwt-keys", "http://a/k"], 2, "https"),
        (["--jwt-issuer", "a", "--jwt-audience", "b", "--jwt-keys", "roles.json"], 4, "key set"),
        (["--jwt-issuer", "a", "--jwt-audience", "b", "--jwt-keys", "nosuch"], 3, "nosuch"),
    ])
    func `invalid options for tokens are reported`(
        _ options: [String],
        _ status: Int32,
        _ text: String
    ) throws {
        try shell.divan(["serve", "notes", "--no-tls"] + options).expectFailure(status, text)
    }
}
