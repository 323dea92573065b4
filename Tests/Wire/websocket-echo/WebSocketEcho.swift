import DivanPlatform
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// A WebSocket server that returns every message, and a client that tests it.
@main enum WebSocketEcho {
    static let usage = """
        usage: websocket-echo serve [--tls] [PORT]
               websocket-echo send [--self-signed] URL TEXT...

        serve  sends every message back; on a free port of 127.0.0.1 unless PORT says which
               --tls          with a self-signed certificate made for the run
        send   sends each TEXT, prints the answers, and ends after the last
               --self-signed  trusts a server whose certificate signed itself
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("websocket-echo: \(error)\n".utf8))
            if error is WrongWords {
                try? FileHandle.standardError.write(contentsOf: Data("\(usage)\n".utf8))
            }
            CurrentProcess.exit(error is WrongWords ? 64 : 1)
        }
    }

    private static func run(_ words: [String]) async throws {
        // A text may be one of these, too.
        if words.prefix(2).contains("--help") || ["-h", "help"].contains(words.first) {
            return print(usage)
        }
        let verb = words.first ?? ""
        let known = ["serve": "--tls", "send": "--self-signed"]
        guard let option = known[verb] else {
            throw WrongWords(description: verb.isEmpty ? "serve or send?" : "no verb “\(verb)”")
        }
        // Only words before the texts are options: a text may begin with dashes.
        var rest = words.dropFirst()
        let isSet = rest.first == option
        if isSet { rest.removeFirst() }
        if let first = rest.first, first.hasPrefix("--") {
            throw WrongWords(description: "no option “\(first)” for \(verb)")
        }
        if verb == "serve" {
            try serve(port: try port(rest), isSecure: isSet)
        } else {
            guard let url = rest.popFirst(), !rest.isEmpty else {
                throw WrongWords(description: "send requires a URL and one or more texts")
            }
            try await send(Array(rest), to: url, trustsSelfSigned: isSet)
        }
    }

    private static func port(_ words: ArraySlice<String>) throws -> UInt16 {
        guard let word = words.first else { return 0 }
        guard words.count == 1, let port = UInt16(word) else {
            throw WrongWords(
                description: "“\(words.joined(separator: " "))” is no port (0 to 65535)"
            )
        }
        return port
    }

    private static var webSocket: WebSocketConnection.Configuration { .init(acceptsText: true) }

    private static func serve(port: UInt16, isSecure: Bool) throws {
        var tls: TLSContext?
        if isSecure {
            // A temporary identity; a real server keeps its own in a DirectoryIdentityStore.
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
        CurrentProcess.flushStandardOutput()
        withExtendedLifetime(server) { while true { CurrentThread.waitForSignal() } }
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
        if case .failed(let error) = close { throw error }
    }
}

/// What is wrong with the command line.
private struct WrongWords: Error, CustomStringConvertible {
    let description: String
}
