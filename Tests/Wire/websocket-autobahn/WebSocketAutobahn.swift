import DivanPlatform
import DivanTransport
import DivanWebSocket
import Foundation

/// The two ends that the Autobahn suite examines, and the verdict on its findings.
@main enum WebSocketAutobahn {
    static let usage = """
        usage: websocket-autobahn server PORT
               websocket-autobahn client URL
               websocket-autobahn report PAGE SERVER-INDEX CLIENT-INDEX [NAME=VERSION...]
        """

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "server" where words.count == 2:
            guard let port = UInt16(words[1]) else { break }
            return try serve(port: port)
        case "client" where words.count == 2:
            return try await CaseRunner(url: words[1]).run()
        case "report" where words.count >= 4:
            return try report(words.dropFirst())
        default: break
        }
        print(usage)
        CurrentProcess.exit(64)
    }

    /// Bounds above the suite's largest cases: 16 MiB in one frame, or in fragments of 64 bytes.
    static var webSocket: WebSocketConnection.Configuration {
        let limits = WebSocketLimits(
            payloadByteCount: 17 << 20,
            messageByteCount: 17 << 20,
            fragmentCount: 1 << 20
        )
        return .init(limits: limits, acceptsText: true)
    }

    private static func serve(port: UInt16) throws {
        let configuration = WebSocketServer.Configuration(
            networkInterface: "127.0.0.1",
            port: port,
            webSocket: webSocket
        )
        let server = WebSocketServer(configuration) { request in
            request.accept(subprotocol: nil) { transport in
                transport.start(
                    Echo(
                        send: { [weak transport] in transport?.send($0) },
                        sendText: { [weak transport] in transport?.sendText($0) }
                    )
                )
            }
        }
        print("listening on port \(try server.start())")
        CurrentProcess.flushStandardOutput()
        withExtendedLifetime(server) { while true { CurrentThread.waitForSignal() } }
    }

    /// Writes the page; the exit code shows whether everything passed.
    private static func report(_ words: ArraySlice<String>) throws {
        let (page, indexes) = (words[1], words[2...3])
        let sides = try zip(["server", "client"], indexes).map { name, path in
            try Side(name: name, index: [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        }
        let versions = words.dropFirst(3).map { $0.split(separator: "=", maxSplits: 1) }
            .compactMap { $0.count == 2 ? (name: "\($0[0])", version: "\($0[1])") : nil }
        let report = Report(sides: sides, versions: versions, date: Date())
        try Data(report.page.utf8).write(to: URL(fileURLWithPath: page))
        for complaint in report.complaints { print("autobahn: \(complaint)") }
        guard report.complaints.isEmpty else { CurrentProcess.exit(1) }
        for side in sides { print("autobahn: \(side.name): \(side.summary)") }
    }
}

/// Returns every message unchanged.
final class Echo: MessageReceiver {
    private let send: @Sendable (Span<UInt8>) -> Void
    private let sendText: @Sendable (Span<UInt8>) -> Void
    private let didClose: @Sendable (TransportClose) -> Void

    init(
        send: @escaping @Sendable (Span<UInt8>) -> Void,
        sendText: @escaping @Sendable (Span<UInt8>) -> Void,
        didClose: @escaping @Sendable (TransportClose) -> Void = { _ in }
    ) {
        self.send = send
        self.sendText = sendText
        self.didClose = didClose
    }

    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) { send(message.span) }
    func transportDidReceiveText(_ message: ArraySlice<UInt8>) { sendText(message.span) }
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) { didClose(close) }
}
