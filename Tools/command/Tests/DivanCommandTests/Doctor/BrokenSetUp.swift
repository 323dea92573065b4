import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// A set-up that is broken in one place, and what the doctor must say about it.
struct BrokenSetUp: Sendable, CustomTestStringConvertible {
    /// What is wrong, in the words of the troubleshooting guide.
    let title: String
    /// The exit code; 0 if it works but somebody should look.
    let status: Int32
    /// Creates it in its own place, and asks the doctor.
    let examine: @Sendable (BrokenPlace) throws -> Program.Outcome

    init(
        _ title: String,
        _ status: Int32,
        _ examine: @escaping @Sendable (BrokenPlace) throws -> Program.Outcome
    ) {
        self.title = title
        self.status = status
        self.examine = examine
    }

    var testDescription: String { title }
}

/// Where a set-up is created: a database `a` with one document, and servers that run as long as this exists.
final class BrokenPlace {
    let shell: Shell
    private var peers: [Peer] = []

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("put", "a", "one", "{}")
    }

    deinit { for peer in peers { peer.stop() } }

    /// Asks the doctor, with a short timeout.
    func doctor(
        _ words: String...,
        environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        let line = ["doctor"] + words + ["--json", "--timeout", "3"]
        return try shell.divan(line, environment: environment)
    }

    /// Serves `a`; returns its URL.
    func serve(_ options: String...) throws -> String {
        let peer = try shell.start(["serve", "a", "--interface", "127.0.0.1"] + options)
        peers.append(peer)
        return try peer.url()
    }

    /// The URL of a server that answers each request with these lines.
    func answering(_ status: String, _ fields: String...) throws -> String {
        let answer = HandshakeServer.answer(status, fields: fields)
        let server = try HandshakeServer(answers: [String](repeating: answer, count: 40))
        return "ws://127.0.0.1:\(server.port)/a"
    }

    /// `HOST:PORT` of a proxy that answers each request with this status, or does not exist.
    func proxy(_ status: String?) throws -> String {
        let answers = status.map { [String](repeating: HandshakeServer.answer($0), count: 3) }
        return "127.0.0.1:\(try HandshakeServer(answers: answers ?? []).port)"
    }

    /// Creates a self-signed certificate with any dates; returns the name of its file.
    @discardableResult
    func makeCertificate(
        _ name: String,
        from begin: String = "20200101000000Z",
        until end: String = "20400101000000Z",
        of subject: String = "IP:127.0.0.1"
    ) throws -> String {
        let settings = """
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
        try shell.write("ca.cnf", settings)
        try shell.write("index", "")
        let script = """
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
                -keyout \(name).key -out \(name).csr -subj /CN=test
            openssl ca -batch -config ca.cnf -selfsign -keyfile \(name).key -in \(name).csr \
                -extensions names -startdate \(begin) -enddate \(end) -notext -out \(name).pem
            (umask 077; cat \(name).pem \(name).key >identity.pem)
            """
        #expect(try shell.bash(script).status == 0)
        return "\(name).pem"
    }
}

/// Listens on a port of the loopback interface, but accepts nobody.
final class SilentServer {
    let port: UInt16
    private let socket: Socket

    init() throws {
        (socket, port) = try Loopback.listen(queue: 8)
    }

    deinit { socket.close() }
}
