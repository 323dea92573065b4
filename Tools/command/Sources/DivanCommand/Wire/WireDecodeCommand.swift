import DivanCommandLine

/// `divan wire decode`.
enum WireDecodeCommand: Command {
    static let syntax = CommandSyntax(
        name: "wire decode",
        summary: "show what two peers said to each other, from a recording",
        operands: [.init(name: "FILE|-", isRepeating: true, completion: .file)],
        options: WireOptions.all,
        details: """
            FILE is a capture of tcpdump -w, or what divan wire proxy --record wrote; - reads one
            as it comes. Or it is the plain bytes that the client sent, with those of the server
            in a second file. Only conversations in clear text that are recorded from their
            beginning can be read: with TLS, put divan wire proxy in between.

            \(WireOptions.details)

            Exit code 3 when there is no conversation in FILE.
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
            throw Failure.usage("divan wire decode takes one capture, or two files of plain bytes")
        }
        let listing = WireListing(terminal, showsFrames: arguments.has("--frames"))
        let bodyByteCount = try WireOptions.bodyByteCount(arguments)
        let start = try start(of: first)
        if CaptureReader.begins(start) {
            guard files.count == 1 else {
                throw Failure.usage("\(first.name) is a capture, which holds both directions")
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
        if reader.isCut { terminal.warn("\(file.name) ends within a packet") }
        if connections.hiddenCount > 0 {
            let count = Numbers.count(connections.hiddenCount, "connection")
            terminal.warn("\(count) with TLS left out; divan wire proxy sees inside")
        }
        if connections.leftOutCount > 0 {
            let count = Numbers.count(connections.leftOutCount, "connection")
            terminal.warn(
                "\(count) left out: more than \(WireLimits.connectionCount) went on at a time"
            )
        }
        guard !connections.isEmpty else {
            throw Failure(
                kind: .notFound,
                sentence: "\(file.name): no WebSocket conversation begins in it; record from "
                    + "before the peers connect"
            )
        }
    }
}

/// What both verbs of the group accept.
enum WireOptions {
    static let all: [CommandSyntax.Option] = [
        .value("--body", "BYTES", "show so much of each body (default: 120; 0: nothing)"),
        .flag("--frames", "show each frame and ping, too"),
        .json,
    ]

    static let details = """
        Each message is a line: seconds, connection, → from the client or ← from the server, its
        number, its kind or the kind of what it answers, properties, size, and how long the
        answer took; below it the beginning of its body, decompressed. Passwords, cookies and
        tokens of the handshake are blanked. Documents are not: a recording is as secret as
        they are.
        """

    static func bodyByteCount(_ arguments: Arguments) throws -> Int {
        try arguments.number("--body", in: 0...WireLimits.messageByteCount) ?? 120
    }
}
