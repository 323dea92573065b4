import DivanTestKit
import Foundation
import Glibc
import Testing

/// `divan doctor URL` against set-ups that are broken in one place each: it names that place.
@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("put", "a", "one", "{}")
    }

    /// What the doctor found, by step; the last of a step counts.
    private func findings(_ outcome: Program.Outcome) throws -> [String: [String: String]] {
        var findings: [String: [String: String]] = [:]
        for line in outcome.output.split(separator: "\n") {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            // Beside the words a step may have figures.
            let finding = try #require(value as? [String: Any]).compactMapValues { $0 as? String }
            findings[try #require(finding["step"])] = finding
        }
        return findings
    }

    /// Runs the doctor, which must find one step failed, with words that name the cause.
    private func expectCause(
        _ step: String,
        _ words: String,
        status: Int32,
        _ command: String...,
        environment: [String: String] = [:],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let line = ["doctor"] + command + ["--json", "--timeout", "3"]
        let outcome = try shell.divan(line, environment: environment)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: location)
        let failed = try findings(outcome).values.filter { $0["verdict"] == "failed" }
        #expect(failed.map { $0["step"] } == [step], "\(outcome.output)", sourceLocation: location)
        let seen = failed.first?["seen"] ?? ""
        #expect(seen.contains(words), "\(seen)", sourceLocation: location)
        #expect(failed.first?["remedy"]?.isEmpty == false, sourceLocation: location)
    }

    private func listening(_ peer: Peer) throws -> (url: String, port: Int) {
        let url = try peer.url()
        return (url, try #require(URL(string: url)?.port))
    }

    private func scripted(_ status: String, _ fields: String...) throws -> String {
        let answer = (["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0", "", ""])
            .joined(separator: "\r\n")
        let server = try HandshakeServer(answers: [String](repeating: answer, count: 40))
        return "ws://127.0.0.1:\(server.port)/a"
    }

    // MARK: The way

    @Test func `an address that is none, or lacks the database`() throws {
        try expectCause("address", "http", status: 2, "http://127.0.0.1:4984/a")
        try expectCause("address", "database name", status: 2, "ws://127.0.0.1:4984")
    }

    @Test func `a name that nobody knows`() throws {
        try expectCause("name", "no-such.invalid", status: 6, "ws://no-such.invalid:4984/a")
    }

    @Test func `a port that is closed`() throws {
        let peer = try shell.serve("a", "--no-tls")
        let port = try listening(peer).port
        peer.stop()
        try expectCause("tcp", "refused", status: 6, "ws://127.0.0.1:\(port)/a")
    }

    @Test func `a port behind which nobody speaks`() throws {
        let server = try SilentServer()
        let url = "ws://127.0.0.1:\(server.port)/a"
        let said = "nothing was said for 3 s after our "
        try expectCause("websocket", said + "request for a WebSocket", status: 6, url)
        // With TLS no step waits a second time.
        let begin = ContinuousClock.now
        let secure = "wss://127.0.0.1:\(server.port)/a"
        try expectCause("websocket", said + "TLS greeting", status: 6, secure)
        #expect(ContinuousClock.now - begin < .seconds(10))
        withExtendedLifetime(server) {}
    }

    @Test func `a proxy that is not there, or wants to know who we are`() throws {
        let closed = try HandshakeServer(answers: [])
        let place = "127.0.0.1:\(closed.port)"
        try expectCause("proxy", "refused", status: 6, "ws://peer.invalid/a", "--proxy", place)
        let wants = HandshakeServer.answer("407 Proxy Authentication Required")
        let proxy = try HandshakeServer(answers: [wants, wants, wants])
        let door = "127.0.0.1:\(proxy.port)"
        try expectCause("proxy", "407", status: 7, "ws://peer.invalid/a", "--proxy", door)
    }

    // MARK: TLS

    @Test func `TLS where the URL says none, and none where it says TLS`() throws {
        let secure = try shell.serve("a")
        let securePort = try listening(secure).port
        try expectCause("tls", "speaks TLS", status: 6, "ws://127.0.0.1:\(securePort)/a")
        secure.stop()
        let plain = try shell.serve("a", "--no-tls")
        let plainPort = try listening(plain).port
        try expectCause("tls", "without TLS", status: 6, "wss://127.0.0.1:\(plainPort)/a")
        plain.stop()
    }

    @Test func `a certificate of an unknown authority, and one that is not the pinned one`() throws
    {
        let peer = try shell.serve("a")
        let url = try listening(peer).url
        try expectCause("tls", "nobody here knows", status: 7, url)
        try makeCertificate("other", from: "20200101000000Z", until: "20400101000000Z")
        try expectCause("tls", "another certificate", status: 7, url, "--pin", "other.pem")
        peer.stop()
    }

    @Test func `a certificate that has expired, has not begun, or is for another host`() throws {
        let dates = [
            ("20200101000000Z", "20200201000000Z", "IP:127.0.0.1", "expired on 2020-02-01"),
            ("20400101000000Z", "20410101000000Z", "IP:127.0.0.1", "begins on 2040-01-01"),
            ("20200101000000Z", "20400101000000Z", "DNS:jukebox.local", "is for jukebox.local"),
        ]
        for (begin, end, name, words) in dates {
            try makeCertificate("server", from: begin, until: end, name: name)
            let key = try shell.text("server.pem") + shell.text("server.key")
            try shell.write("identity.pem", key)
            chmod(shell.path("identity.pem"), 0o600)
            let peer = try shell.serve("a", "--identity", "identity.pem")
            let port = try listening(peer).port
            let url = "wss://127.0.0.1:\(port)/a"
            try expectCause("tls", words, status: 7, url, "--trust", "server.pem")
            peer.stop()
        }
    }

    /// Makes a self-signed certificate with any dates.
    private func makeCertificate(
        _ name: String,
        from begin: String,
        until end: String,
        name subject: String = "IP:127.0.0.1"
    ) throws {
        try shell.write(
            "ca.cnf",
            """
            [ca]
            default_ca = here
            [here]
            new_certs_dir = \(shell.directory)
            database = \(shell.path("index"))
            rand_serial = yes
            default_md = sha256
            policy = any
            unique_subject = no
            [any]
            commonName = supplied
            [names]
            subjectAltName = \(subject)
            basicConstraints = CA:TRUE
            """
        )
        try shell.write("index", "")
        let script = """
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
                -keyout \(name).key -out \(name).csr -subj /CN=test
            openssl ca -batch -config ca.cnf -selfsign -keyfile \(name).key -in \(name).csr \
                -extensions names -startdate \(begin) -enddate \(end) -notext -out \(name).pem
            """
        #expect(try shell.bash(script).status == 0)
    }

    // MARK: Who may what

    @Test func `credentials that are missing or wrong`() throws {
        let words = ["users", "add", "users.json", "anna"]
        try shell.divan(words, environment: ["DIVAN_PASSWORD": "right"]).expectSuccess()
        let peer = try shell.serve("a", "--no-tls", "--users", "users.json")
        let url = try listening(peer).url
        try expectCause("credentials", "wants to know who we are", status: 7, url)
        try expectCause(
            "credentials",
            "refuses user anna",
            status: 7,
            url,
            "--user",
            "anna",
            environment: ["DIVAN_PASSWORD": "wrong"]
        )
        peer.stop()
    }

    @Test func `a user without rights, a server that is busy, one that is none, one that sends on`()
        throws
    {
        try expectCause("rights", "403", status: 7, scripted("403 Forbidden"))
        let busy = try scripted("503 Busy", "Retry-After: 7")
        try expectCause("server", "asks to wait 7 s", status: 6, busy)
        try expectCause("websocket", "200", status: 6, scripted("200 OK"))
        try expectCause("websocket", "redirect", status: 6, scripted("302 Found", "Location: /a"))
    }

    @Test func `a clock that is wrong is told with the refusal`() throws {
        let old = "Date: Wed, 01 Jan 2020 00:00:00 GMT"
        let url = try scripted("401 Unauthorized", old)
        try expectCause("credentials", "ahead of the server's", status: 7, url)
    }

    @Test func `a server that agrees on no protocol`() throws {
        let upgrade = try scripted(
            "101 Switching Protocols",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Accept: wrong"
        )
        try expectCause("websocket", "no WebSocket's", status: 6, upgrade)
    }

    @Test func `a database and a collection that are not there`() throws {
        let peer = try shell.serve("a", "--no-tls", "--collections", "geo.places")
        let port = try listening(peer).port
        try expectCause("database", "404", status: 3, "ws://127.0.0.1:\(port)/b")
        let url = "ws://127.0.0.1:\(port)/a"
        try expectCause("collections", "_default", status: 3, url)
        try expectCause("collections", "geo.seas", status: 3, url, "--collections", "geo.seas")
        peer.stop()
    }

    @Test func `a listener that only lets read is worth a look, and no failure`() throws {
        let peer = try shell.serve("a", "--no-tls", "--read-only")
        let outcome = try shell.divan("doctor", try listening(peer).url, "--json")
        outcome.expectSuccess()
        let found = try findings(outcome)
        #expect(found["writing"]?["verdict"] == "warning", "\(outcome.output)")
        #expect(found["reading"]?["seen"]?.contains("1 changes to pull") == true)
        peer.stop()
    }

    @Test func `where all is well every step says what it saw`() throws {
        let peer = try shell.serve("a", "--write-certificate", "own.pem")
        let outcome = try shell.divan(
            "doctor",
            try listening(peer).url,
            "--pin",
            "own.pem",
            "--json"
        )
        outcome.expectSuccess()
        let found = try findings(outcome)
        let steps = [
            "address", "name", "tcp", "tls", "websocket", "protocol", "collections", "reading",
            "writing", "way", "clock", "throughput",
        ]
        for step in steps { #expect(found[step]?["verdict"] == "ok", "\(step): \(outcome.output)") }
        #expect(found["protocol"]?["seen"]?.hasPrefix("BLIP_3+CBMobile_3") == true)
        #expect(found["clock"]?["seen"] == "both clocks agree within a minute")
        let throughput = try #require(found["throughput"]?["seen"])
        #expect(throughput.hasPrefix("took 1 document, "), "\(throughput)")
        #expect(throughput.contains("; sent 262.1 kB in "), "\(throughput)")
        peer.stop()
        #expect(try shell.run("ls", "a").output == "one\n", "nothing was written")
    }

    // MARK: Databases

    @Test func `a database is looked through`() throws {
        let outcome = try shell.divan("doctor", "a", "--json")
        outcome.expectSuccess()
        let found = try findings(outcome)
        for step in ["files", "format", "content", "size", "conflicts", "peers", "indexes"] {
            #expect(found[step]?["verdict"] == "ok", "\(step): \(outcome.output)")
        }
        let sizes = try shell.run("doctor", "a").output.split(separator: "\n").filter {
            $0.contains("  size ")
        }
        #expect(sizes.contains { $0.contains("_default: 1 document, bodies ") }, "\(sizes)")
        #expect(sizes.contains { $0.contains(", log ") && $0.contains("file ") }, "\(sizes)")
        try shell.divan("doctor", "nowhere").expectFailure(3, "there is no database here")
    }

    @Test func `a blob that is gone is found with its document`() throws {
        try shell.write("picture.jpg", "bytes")
        try shell.run("blob", "put", "a", "one", "picture", "picture.jpg")
        let folder = shell.path("a.cblite2/Attachments")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        let outcome = try shell.divan("doctor", "a", "--json")
        #expect(outcome.status == 5)
        #expect(try findings(outcome)["content"]?["seen"]?.contains("\"one\"") == true)
    }
}

/// Listens on a port of the loopback interface, and takes nobody in.
private final class SilentServer {
    let port: UInt16
    private let descriptor: Int32

    struct Failure: Error {}

    init() throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = listening
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listening, name, size) == 0 && listen(listening, 8) == 0
                    && getsockname(listening, name, &size) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
