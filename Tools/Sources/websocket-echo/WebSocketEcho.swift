import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// A WebSocket server that sends every message back, and a client that tries it.
@main enum WebSocketEcho {
    static let usage = """
        usage: websocket-echo serve [--tls] [PORT]
               websocket-echo send [--self-signed] URL TEXT...
        """

    static func main() async throws {
        var words = CommandLine.arguments.dropFirst()
        let command = words.popFirst()
        let isOptionGiven = words.first?.hasPrefix("--") == true
        if isOptionGiven { words = words.dropFirst() }
        switch (command, words.first) {
        case ("serve", let port):
            try serve(port: port.flatMap { UInt16($0) } ?? 0, isSecure: isOptionGiven)
        case ("send", let url?) where words.count > 1:
            try await send(Array(words.dropFirst()), to: url, trustsSelfSigned: isOptionGiven)
        default:
            print(usage)
            exit(64)
        }
    }

    private static var webSocket: WebSocketConnection.Configuration { .init(acceptsText: true) }

    private static func serve(port: UInt16, isSecure: Bool) throws {
        var tls: TLSContext?
        if isSecure {
            // A throw-away identity; a real server keeps its own in a DirectoryIdentityStore.
            let store = InMemoryIdentityStore()
            let now = Date()
            let identity = try AnonymousIdentity.credential(in: store, label: "echo", now: now)
            tls = try TLSContext.server(ServerTLSConfiguration(credential: identity))
        }
        let configuration = WebSocketServer.Configuration(
            networkInterface: "127.0.0.1",
            port: port,
            tls: tls,
            webSocket: webSocket
        )
        let server = WebSocketServer(configuration) { request in
            request.accept(subprotocol: nil) { transport in transport.start(Echo(transport)) }
        }
        let chosenPort = try server.start()
        print("listening on \(isSecure ? "wss" : "ws")://127.0.0.1:\(chosenPort)/")
        fflush(nil)
        withExtendedLifetime(server) { while true { pause() } }
    }

    private static func send(
        _ texts: [String],
        to url: String,
        trustsSelfSigned: Bool
    ) async throws {
        let trust: ServerTrust = trustsSelfSigned ? .selfSignedOnly : .systemRoots
        let configuration = WebSocketClientTransport.Configuration(
            endpoint: try WebSocketEndpoint(url),
            subprotocols: [],
            tls: try TLSContext.client(ClientTLSConfiguration(serverTrust: trust)),
            webSocket: webSocket
        )
        let transport = WebSocketClientTransport(configuration)
        let close = await withCheckedContinuation { continuation in
            transport.start(Conversation(transport, texts) { continuation.resume(returning: $0) })
        }
        guard case .failed(let error) = close else { return }
        FileHandle.standardError.write(Data("websocket-echo: \(error)\n".utf8))
        exit(1)
    }
}

/// The server's side of one connection.
private final class Echo: MessageReceiver {
    private let transport: WebSocketServerTransport

    init(_ transport: WebSocketServerTransport) { self.transport = transport }

    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) { transport.send(message.span) }
    func transportDidReceiveText(_ message: ArraySlice<UInt8>) { transport.sendText(message.span) }
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}

/// The client's side: says everything at once, prints the answers, and leaves after the last.
///
/// `@unchecked Sendable` holds because the transport calls its receiver on one loop only.
private final class Conversation: MessageReceiver, @unchecked Sendable {
    private let transport: WebSocketClientTransport
    private let texts: [String]
    private let didClose: (TransportClose) -> Void
    private var answerCount = 0

    init(
        _ transport: WebSocketClientTransport,
        _ texts: [String],
        didClose: @escaping (TransportClose) -> Void
    ) {
        self.transport = transport
        self.texts = texts
        self.didClose = didClose
    }

    func transportDidOpen(_ peer: TransportPeer) {
        for text in texts { transport.sendText(Array(text.utf8).span) }
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        print(String(decoding: message, as: UTF8.self))
        answerCount += 1
        if answerCount == texts.count { transport.close(code: 1000, reason: "") }
    }

    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) { didClose(close) }
}
