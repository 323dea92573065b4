import DivanBLIP
import DivanTransport
import DivanWebSocket
import DivanZlib
import Foundation

/// BLIP requests over WebSocket: a server that replies with what it was asked, and its client.
@main enum BLIPEcho {
    static let usage = """
        usage: blip-echo serve [PORT]
               blip-echo ask URL TEXT...
        """
    static let subprotocol = "BLIP_3+Echo"

    static func main() async throws {
        var words = CommandLine.arguments.dropFirst()
        switch (words.popFirst(), words.popFirst()) {
        case ("serve", let port): try serve(port: port.flatMap { UInt16($0) } ?? 0)
        case ("ask", let url?) where !words.isEmpty: try await ask(Array(words), at: url)
        default:
            print(usage)
            exit(64)
        }
    }

    private static func serve(port: UInt16) throws {
        let place = WebSocketServer.Configuration(networkInterface: "127.0.0.1", port: port)
        let server = WebSocketServer(place) { request in
            guard request.handshake.subprotocols.contains(subprotocol) else {
                return request.refuse(HandshakeRefusal(status: 400, explanation: subprotocol))
            }
            request.accept(subprotocol: subprotocol) { transport in
                transport.start(Pipeline(transport))
            }
        }
        print("listening on ws://127.0.0.1:\(try server.start())/")
        fflush(nil)
        withExtendedLifetime(server) { while true { pause() } }
    }

    private static func ask(_ texts: [String], at url: String) async throws {
        let endpoint = try WebSocketEndpoint(url)
        let transport = WebSocketClientTransport(
            .init(endpoint: endpoint, subprotocols: [subprotocol])
        )
        let close = await withCheckedContinuation { continuation in
            transport.start(
                Pipeline(transport, asking: texts) { continuation.resume(returning: $0) }
            )
        }
        guard case .failed(let error) = close else { return }
        FileHandle.standardError.write(Data("blip-echo: \(error)\n".utf8))
        exit(1)
    }
}

/// Joins a BLIP connection and a transport: frames in, frames out, replies to whoever asks.
///
/// `@unchecked Sendable` holds because the transport calls its receiver on one loop only.
private final class Pipeline: MessageReceiver, @unchecked Sendable {
    private let transport: any MessageTransport
    private let texts: [String]
    private let didClose: (TransportClose) -> Void
    private var connection = BLIPConnection(codec: DeflateCodec())

    init(
        _ transport: any MessageTransport,
        asking texts: [String] = [],
        didClose: @escaping (TransportClose) -> Void = { _ in }
    ) {
        self.transport = transport
        self.texts = texts
        self.didClose = didClose
    }

    func transportDidOpen(_ peer: TransportPeer) {
        for text in texts {
            let body = BLIPBody.bytes(Array(text.utf8))
            connection.send(BLIPRequest(profile: "echo", body: body, isCompressed: true))
        }
        writeFrames()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        do {
            try connection.receive(message.span)
            while let event = connection.next() { take(event) }
        } catch {
            transport.close(code: error.closeCode, reason: "\(error)")
        }
    }

    private func take(_ event: BLIPEvent) {
        switch event {
        case .request(let request) where request.profile == "echo":
            connection.reply(to: request.id, with: BLIPReply(body: .bytes(request.body)))
        case .request(let request):
            connection.reply(to: request.id, with: .noHandler)
        case .reply(_, let reply):
            print(reply.error.map { "\($0)" } ?? String(decoding: reply.body, as: UTF8.self))
            if connection.waitingRequests.isEmpty { transport.close(code: 1000, reason: "") }
        case .replyPiece, .bodyFailed: break  // no reply is streamed, no body has a source
        }
    }

    func transportDidDrainInput() { writeFrames() }

    func transportDidBecomeWritable() { writeFrames() }

    private func writeFrames() {
        var frame: [UInt8] = []
        while transport.isWritable, connection.nextFrame(into: &frame) {
            transport.send(frame)
            frame.removeAll(keepingCapacity: true)
        }
    }

    func transportDidClose(_ close: TransportClose) { didClose(close) }
}
