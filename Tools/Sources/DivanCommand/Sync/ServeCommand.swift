import Divan
import DivanCrypto
import DivanJSON
import Foundation

/// `divan serve`.
enum ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve",
        summary: "let other peers replicate with databases",
        operands: [.init(name: "DB", isRepeating: true, completion: .database)],
        options: [
            .value("--port", "PORT", short: "-p", "the port (default: any free one)"),
            .value("--interface", "NAME", "listen on this interface or address only"),
            .value("--collections", "LIST", isRepeating: true, "share these only (default: all)"),
            .value(
                "--tls-identity",
                "FILE",
                completion: .file,
                "certificate and key: PEM, or PKCS#12 (.p12)"
            ),
            .flag("--no-tls", "listen without encryption"),
            .value(
                "--write-certificate",
                "FILE",
                completion: .file,
                "write the certificate, for peers to pin"
            ),
            .flag("--read-only", "refuse what peers push"),
            CompressionChoice.option,
            .flag("--delta", "send changes as deltas where peers can take them"),
            .json,
        ] + Credentials.options,
        details: """
            Goes on until Ctrl-C. The connection is encrypted unless --no-tls is given; without
            --tls-identity a self-signed certificate is made once and kept. With --user, peers
            must show that name and password. \(Credentials.details)
            \(CompressionChoice.details)
            Several databases get a port each: PORT, PORT + 1, and so on.
            """,
        examples: [
            "divan serve travel --user sync --password-file secret.txt --port 4984",
            "divan serve maps --no-tls --interface 127.0.0.1 --read-only",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let port: UInt16 = try arguments.number("--port", in: 0...65_535) ?? 0
        let credentials = try Credentials.read(arguments, terminal)
        let interruption = Interruption()
        let events = EventLine(terminal)
        var served: [ServedDatabase] = []
        defer { for database in served { database.stop() } }
        for (index, text) in arguments.operands.enumerated() {
            let number = port == 0 ? 0 : Int(port) + index
            guard let own = UInt16(exactly: number) else {
                throw Failure.usage("--port \(port) leaves no port for \(text)")
            }
            let database = try ServedDatabase(
                DatabasePath(text),
                port: own,
                arguments: arguments,
                credentials: credentials
            )
            served.append(database)
            try database.start()
            database.announce(events)
        }
        if arguments.has("--no-tls"), credentials != nil {
            terminal.warn("without TLS the password travels in clear text")
        }
        terminal.note("Press Ctrl-C to stop.")
        watch(served, until: interruption, events)
        for database in served { database.sayGoodbye(events) }
    }

    /// Tells of connections that come and go, until Ctrl-C.
    private static func watch(
        _ served: [ServedDatabase],
        until interruption: Interruption,
        _ events: EventLine
    ) {
        let stopped = DispatchSemaphore(value: 0)
        interruption.onRequest { stopped.signal() }
        var last: UInt64 = 0
        while stopped.wait(timeout: .now() + .milliseconds(500)) == .timedOut {
            let count = served.reduce(0) { $0 + $1.connectionCount }
            guard count != last else { continue }
            last = count
            events.write(
                "connections",
                ["count": JSON(count)],
                sentence: "\(Numbers.count(count, "peer")) connected"
            )
        }
    }
}

/// One database with its listener.
private final class ServedDatabase {
    private let path: DatabasePath
    private let database: Database
    private let listener: URLEndpointListener
    private let certificateFile: String?

    init(
        _ path: DatabasePath,
        port: UInt16,
        arguments: Arguments,
        credentials: Credentials?
    ) throws {
        self.path = path
        database = try path.openDatabase()
        let wanted = try arguments.collections()
        let collections = try database.collections(named: wanted, creating: false)
        var config = URLEndpointListenerConfiguration(collections: collections)
        config.port = port
        config.networkInterface = arguments.value("--interface")
        config.disableTLS = arguments.has("--no-tls")
        config.readOnly = arguments.has("--read-only")
        config.enableDeltaSync = arguments.has("--delta")
        if let compression = try CompressionChoice.read(arguments) {
            config.compression = compression
        }
        if let file = arguments.value("--tls-identity") {
            config.tlsIdentity = try IdentityFile.read(file)
        }
        if let credentials {
            config.authenticator = ListenerPasswordAuthenticator { user, password in
                credentials.match(user, password)
            }
        }
        certificateFile = arguments.value("--write-certificate")
        listener = URLEndpointListener(config: config)
    }

    var connectionCount: UInt64 { listener.status.connectionCount }

    func start() throws {
        try listener.start()
        if let certificateFile, let certificate = listener.tlsIdentity?.certs.first {
            try certificate.pem.write(toFile: certificateFile, atomically: true, encoding: .utf8)
        }
    }

    func announce(_ events: EventLine) {
        let urls = (listener.urls ?? []).map(\.absoluteString)
        var members: JSONObject = [
            "database": .string(path.name), "port": JSON(listener.port ?? 0),
            "urls": .array(urls.map { .string($0) }),
        ]
        var sentence = "Serving \(path.name) at \(urls.joined(separator: ", "))"
        if let certificate = listener.tlsIdentity?.certs.first {
            members["fingerprint"] = .string(certificate.sha256Fingerprint)
            sentence += ", certificate \(certificate.sha256Fingerprint)"
        }
        events.write("listening", members, sentence: sentence)
    }

    func sayGoodbye(_ events: EventLine) {
        let figures = listener.statistics
        stop()
        events.write(
            "stopped",
            [
                "database": .string(path.name),
                "documentsReceived": JSON(figures.receivedDocumentCount),
                "documentsSent": JSON(figures.sentDocumentCount),
                "bytesReceived": JSON(figures.receivedByteCount),
                "bytesSent": JSON(figures.sentByteCount),
                "connections": .object(
                    JSONObject(
                        figures.connectionCountByCompression.map { (key: $0, value: JSON($1)) }
                    )
                ),
            ],
            sentence: "Stopped \(path.name): sent "
                + "\(Numbers.count(figures.sentDocumentCount, "document")), received "
                + "\(Numbers.count(figures.receivedDocumentCount, "document")); all are saved"
        )
    }

    func stop() {
        listener.stop()
        try? database.close()
    }
}

extension Credentials {
    /// Compares in a time that tells nothing about the password.
    func match(_ user: String, _ password: String) -> Bool {
        let (ourUser, theirUser) = (Array(self.user.utf8), Array(user.utf8))
        let (ours, theirs) = (Array(self.password.utf8), Array(password.utf8))
        let isUser = isEqualInConstantTime(ourUser.span, theirUser.span)
        let isPassword = isEqualInConstantTime(ours.span, theirs.span)
        return isUser && isPassword
    }
}
