import DivanCommandLine

/// `divan wire decode`.
enum WireDecodeCommand: Command {
    static let syntax = CommandSyntax(
        name: "wire decode",
        summary: "print the protocol messages of a recorded connection",
        operands: [.init(name: "FILE|-", isRepeating: true, completion: .file)],
        options: WireOptions.all,
        details: """
            FILE is a capture of 'tcpdump -w' or 'divan wire proxy --record'; - reads a capture from
            standard input as it arrives. Two FILEs can also be the raw bytes from the client and
            from the server. Connections must be unencrypted and recorded from the start; for TLS,
            use 'divan wire proxy'. Exit code 3 if FILE contains no such connection.

            \(WireOptions.details)
            """,
        examples: [
            "divan wire decode yesterday.pcap",
            "tcpdump -i lo -w - -U port 4984 | divan wire decode -",
            "divan wire decode session.pcap --json | jq 'select(.kind == \"error\")'",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        var terminal = terminal
        terminal.isJSON = arguments.has("--json")
        let files = try arguments.operands.map { path throws(Failure) in try InputFile(path) }
        guard let first = files.first, files.count <= 2 else {
            throw Failure.usage(
                "divan wire decode: too many files",
                hint: "use one capture, or two files of raw bytes"
            )
        }
        let listing = WireListing(terminal, showsFrames: arguments.has("--frames"))
        let bodyByteCount = try WireOptions.bodyByteCount(arguments)
        let start = try start(of: first)
        if CaptureReader.begins(start) {
            guard files.count == 1 else {
                throw Failure.usage(
                    "\(first.name) is a capture, which contains both directions",
                    hint: "use one capture only"
                )
            }
            return try decodeCapture(first, start, bodyByteCount, listing, terminal)
        }
        let plain = try PlainRecording(files, start, keeping: bodyByteCount)
        for event in plain.events {
            listing.write(event, connection: 1)
            try terminal.requireOutput()
        }
    }

    /// Enough bytes to identify the kind of file.
    private static func start(of file: InputFile) throws(Failure) -> [UInt8] {
        var start: [UInt8] = []
        while start.count < 8, case let piece = try file.read(), !piece.isEmpty { start += piece }
        return start
    }

    private static func decodeCapture(
        _ file: InputFile,
        _ start: [UInt8],
        _ bodyByteCount: Int,
        _ listing: WireListing,
        _ terminal: Terminal
    ) throws {
        var reader = CaptureReader()
        var connections = CapturedConnections(keeping: bodyByteCount)
        var piece = start
        while !piece.isEmpty {
            for packet in try reader.receive(piece) {
                for (connection, event) in connections.receive(packet) {
                    listing.write(event, connection: connection)
                }
                try terminal.requireOutput()
            }
            piece = try file.read()
        }
        if reader.isCut { terminal.warn("\(file.name) is truncated: it ends within a packet") }
        if connections.hiddenCount > 0 {
            let count = Numbers.count(connections.hiddenCount, "connection")
            terminal.warn("skipped \(count) with TLS; use 'divan wire proxy' to decode TLS")
        }
        if connections.leftOutCount > 0 {
            let count = Numbers.count(connections.leftOutCount, "connection")
            terminal.warn(
                "skipped \(count): more than \(WireLimits.connectionCount) were open at a time"
            )
        }
        guard !connections.isEmpty else {
            throw Failure(
                kind: .notFound,
                sentence: "\(file.name): no start of an unencrypted WebSocket connection found",
                hint: "start the recording before the peers connect"
            )
        }
    }
}

/// The options of both commands.
enum WireOptions {
    static let all: [CommandSyntax.Option] = [
        .value("--body", "BYTES", "print the first BYTES of each body (default: 120; 0: none)"),
        .flag("--frames", "print frames and pings, too"),
        .json,
    ]

    static let details = """
        Prints a line per message: seconds, connection, direction (→ from the client, ← from the
        server), number, type, properties, size and reply time. The start of the decompressed body
        follows. Passwords, cookies and tokens in the handshake are masked, but documents are not:
        keep recordings as secret as the documents.
        """

    static func bodyByteCount(_ arguments: Arguments) throws -> Int {
        try arguments.number("--body", in: 0...WireLimits.messageByteCount) ?? 120
    }
}
