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
        let words = Array(CommandLine.arguments.dropFirst())
        let options = words.filter { $0.hasPrefix("--") }
        let rest = Array(words.filter { !$0.hasPrefix("--") }.dropFirst())
        switch (words.first, options) {
        case ("serve", []), ("serve", ["--tls"]):
            try serve(port: rest.first.flatMap { UInt16($0) } ?? 0, isSecure: !options.isEmpty)
        case ("send", []) where rest.count > 1, ("send", ["--self-signed"]) where rest.count > 1:
            let texts = Array(rest.dropFirst())
            try await send(texts, to: rest[0], trustsSelfSigned: !options.isEmpty)
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
            let template = CertificateTemplate(
                attributes: ["CN": "echo"],
                usages: .serverAuth,
                now: Date()
            )
            let identity = try TLSCredential.generate(template)
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
