import DivanCommandLine
import DivanJSON
import DivanWebSocket

/// `divan wire proxy`.
enum WireProxyCommand: Command {
    static let syntax = CommandSyntax(
        name: "wire proxy",
        summary: "stand between two peers and show what they say to each other",
        options: [
            .value("--to", "URL", "the server: ws:// or wss://, with its database or without"),
            .value("--listen", "[HOST:]PORT", "where peers connect (default: 127.0.0.1, any port)"),
            .value("--record", "FILE", completion: .file, "write a capture for divan wire decode"),
        ] + WireOptions.all + ServerTrustOptions.all.filter { trust.contains($0.name) },
        details: """
            Let a peer connect to the address that it prints in place of the server's: each
            connection goes on to the server, and everything that passes is shown. Towards the
            peer it is clear text, towards the server what URL says, with the options of divan
            sync for its certificate. The peer's own credentials pass through; a client
            certificate cannot, name one with --identity. Who reads its output slowly slows the peers
            down. Goes on until Ctrl-C.

            \(WireOptions.details)
            """,
        examples: [
            "divan wire proxy --to wss://jukebox.local:4984/notes --pin jukebox.pem",
            "divan wire proxy --listen 4985 --to ws://127.0.0.1:4984 --record talk.pcap",
        ]
    )

    private static let trust = ["--pin", "--trust", "--accept-self-signed", "--identity"]

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let interruption = Interruption()
        var terminal = terminal
        terminal.isJSON = arguments.has("--json")
        guard let url = arguments.value("--to") else {
            throw Failure.usage("divan wire proxy: --to is missing: --to wss://host:port/database")
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
            terminal.warn("whoever reaches \(place.host) gets through to the server in clear text")
        }
        let target = endpoint.target == "/" ? "/" : endpoint.target
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        let own = "ws://\(host):\(proxy.port)\(target)"
        EventLine(terminal).write(
            "listening",
            ["urls": [.string(own)], "to": .string(endpoint.description)],
            sentence: "Let the peer sync with \(own); Ctrl-C ends."
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
            throw .usage("--listen \(text): write PORT, HOST:PORT or [ADDRESS]:PORT")
        }
        return (host.last == "]" ? String(host.dropLast()) : String(host), port)
    }
}
