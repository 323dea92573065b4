import DivanBLIP
import DivanBLIPChannel
import DivanPlatform
import DivanTransport
import DivanWebSocket
import DivanZlib
import Foundation

/// BLIP requests over WebSocket: a server that replies with the request's contents, and its client.
@main enum BLIPEcho {
    static let usage = """
        usage: blip-echo serve [PORT]
               blip-echo ask URL TEXT...

        serve  replies with what it was asked; on a free port of 127.0.0.1 unless PORT says which
        ask    asks each TEXT in a request, prints the replies, and ends after the last
        """
    static let subprotocol = "BLIP_3+Echo"

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("blip-echo: \(error)\n".utf8))
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
        var rest = words[...]
        switch rest.popFirst() {
        case "serve": try serve(port: try port(rest))
        case "ask":
            guard let url = rest.popFirst(), !rest.isEmpty else {
                throw WrongWords(description: "ask requires a URL and one or more texts")
            }
            try await ask(Array(rest), at: url)
        case let verb?: throw WrongWords(description: "no verb “\(verb)”")
        case nil: throw WrongWords(description: "serve or ask?")
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

    private static func serve(port: UInt16) throws {
        let place = WebSocketServer.Configuration(networkInterface: "127.0.0.1", port: port)
        let server = WebSocketServer(place) { request in
            guard request.handshake.subprotocols.contains(subprotocol) else {
                let explanation = "offer the subprotocol \(subprotocol)"
                return request.refuse(HandshakeRefusal(status: 400, explanation: explanation))
            }
            request.accept(subprotocol: subprotocol) { transport in
                BLIPChannel.open(over: transport, codec: DeflateCodec()) { Conversation($0) }
            }
        }
        print("listening on ws://127.0.0.1:\(try server.start())/")
        CurrentProcess.flushStandardOutput()
        withExtendedLifetime(server) { while true { CurrentThread.waitForSignal() } }
    }

    private static func ask(_ texts: [String], at url: String) async throws {
        let endpoint = try WebSocketEndpoint(url)
        let transport = WebSocketClientTransport(
            .init(endpoint: endpoint, subprotocols: [subprotocol])
        )
        let close = await withCheckedContinuation { continuation in
            BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
                Conversation(channel, asking: texts) { continuation.resume(returning: $0) }
            }
        }
        if case .failed(let error) = close { throw error }
    }
}

/// What is wrong with the command line.
private struct WrongWords: Error, CustomStringConvertible {
    let description: String
}

/// Replies to requests, and sends its own.
private final class Conversation: BLIPHandler {
    private let channel: BLIPChannel
    private let texts: [String]
    private let didClose: (TransportClose) -> Void

    init(
        _ channel: BLIPChannel,
        asking texts: [String] = [],
        didClose: @escaping (TransportClose) -> Void = { _ in }
    ) {
        self.channel = channel
        self.texts = texts
        self.didClose = didClose
    }

    func channelDidOpen(_ peer: TransportPeer) {
        for text in texts {
            let body = BLIPBody.bytes(Array(text.utf8))
            channel.send(BLIPRequest(profile: "echo", body: body, isCompressed: true))
        }
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .request(let request) where request.profile == "echo":
            channel.reply(to: request.id, with: BLIPReply(body: .bytes(request.body)))
        case .request(let request):
            channel.reply(to: request.id, with: .noHandler)
        case .reply(_, let reply):
            print(reply.error.map { "\($0)" } ?? String(decoding: reply.body, as: UTF8.self))
            if channel.waitingRequests.isEmpty { channel.close() }
        case .replyPiece, .bodyFailed: break  // no reply is streamed, no body has a source
        }
    }

    func channelDidClose(_ close: TransportClose) { didClose(close) }
}
