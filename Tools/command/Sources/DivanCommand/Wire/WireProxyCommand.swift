import DivanCommandLine
import DivanJSON
import DivanWebSocket

/// `divan wire proxy`.
enum WireProxyCommand: Command {
    static let syntax = CommandSyntax(
        name: "wire proxy",
        summary: "proxy a connection and print the protocol messages",
        options: connection.grouped(.connection)
            + ServerTrustOptions.all.filter { trust.contains($0.name) }
            + (WireOptions.all + recording).grouped(.output),
        details: """
            Forwards connections to the server until interrupted (Ctrl-C). Have the peer sync
            with the printed ws:// URL instead of the server's URL. The connection to the peer
            is not encrypted. The peer's credentials are forwarded, except for a client certificate:
            use --identity instead.

            \(WireOptions.details)
            """,
        examples: [
            "divan wire proxy --to wss://jukebox.local:4984/notes --pin jukebox.pem",
            "divan wire proxy --listen 4985 --to ws://127.0.0.1:4984 --record talk.pcap",
        ]
    )

    private static let connection: [CommandSyntax.Option] = [
        .value("--to", "URL", "the server: ws:// or wss://, with or without a database"),
        .value("--listen", "[HOST:]PORT", "address for peers (default: 127.0.0.1, any free port)"),
    ]

    private static let recording: [CommandSyntax.Option] = [
        .value("--record", "FILE", completion: .file, "write a capture for 'divan wire decode'")
    ]

    private static let trust = ["--pin", "--trust", "--accept-self-signed", "--identity"]

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let interruption = Interruption()
        var terminal = terminal
        terminal.isJSON = arguments.has("--json")
        guard let url = arguments.value("--to") else {
            throw Failure.usage(
                "divan wire proxy: missing option '--to'",
                hint: "write '--to wss://HOST:PORT/DATABASE'"
            )
        }
        let endpoint = try WebSocketEndpoint(url)
        let place = try place(arguments.value("--listen") ?? "0")
        let proxy = try WireProxy(
            listeningOn: place,
            towards: endpoint,
            tls: endpoint.isSecure ? try PeerTransport.tls(arguments, terminal) : nil,
            recorder: try arguments.value("--record").map { path throws(Failure) in
                try CaptureWriter(path)
            },
            listing: WireListing(terminal, showsFrames: arguments.has("--frames")),
            bodyByteCount: try WireOptions.bodyByteCount(arguments),
            terminal
        )
        if !["127.0.0.1", "::1", "localhost"].contains(place.host) {
            terminal.warn(
                "anyone who can connect to \(place.host) can connect to the server, without "
                    + "encryption"
            )
        }
        let target = endpoint.target == "/" ? "/" : endpoint.target
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        let own = "ws://\(host):\(proxy.port)\(target)"
        EventLine(terminal).write(
            "listening",
            ["urls": [.string(own)], "to": .string(endpoint.description)],
            sentence: "Have the peer sync with \(own) (Ctrl-C stops the proxy)"
        )
        interruption.onRequest { proxy.stop() }
        proxy.run()
    }

    private static func place(_ text: String) throws(Failure) -> (host: String, port: UInt16) {
        if let port = UInt16(text) { return ("127.0.0.1", port) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.dropLast().joined(separator: ":")
            .trimmingPrefix("[")
        guard parts.count >= 2, let port = parts.last.flatMap({ UInt16($0) }), !host.isEmpty else {
            throw .usage(
                "invalid value '\(text)' for '--listen'",
                hint: "use PORT, HOST:PORT or [ADDRESS]:PORT"
            )
        }
        return (host.last == "]" ? String(host.dropLast()) : String(host), port)
    }
}
