import DivanBLIP
import DivanBLIPChannel
import DivanLog
import DivanTLS
import DivanTestKit
import DivanTransport
import DivanWebSocket
import DivanZlib

/// A listening process; it prints its two ports and answers `memory` and `connections`.
///
/// `/echo` returns each message, `/sink` only those of one byte, `/blip` answers requests.
struct ServerRole {
    private let clear: WebSocketServer
    private let secure: WebSocketServer

    init() throws {
        let credential = try benchCredential()
        let tls = try TLSContext.server(ServerTLSConfiguration(credential: credential))
        clear = Self.makeServer(tls: nil)
        secure = Self.makeServer(tls: tls)
    }

    func run() throws {
        say("\(try clear.start()) \(try secure.start())")
        ProcessRole.answer { question in
            switch question {
            case "memory": Double(OwnProcess.residentByteCount)
            case "connections": Double(clear.connectionCount + secure.connectionCount)
            default: -1
            }
        }
    }

    private static func makeServer(tls: TLSContext?) -> WebSocketServer {
        WebSocketServer(
            WebSocketServer.Configuration(
                networkInterface: "127.0.0.1",
                tls: tls,
                limits: TransportLimits(connectionCount: 20_000)
            )
        ) { request in
            let path = request.handshake.path
            request.accept(subprotocol: "bench") { transport in
                switch path {
                case "/blip":
                    BLIPChannel.open(over: transport, codec: DeflateCodec()) { BLIPAnswerer($0) }
                case "/sink": transport.start(Echo(transport, longest: 1))
                default: transport.start(Echo(transport, longest: .max))
                }
            }
        }
    }
}

/// Returns short messages.
///
/// `@unchecked Sendable` holds because everything happens on the transport's loop.
private final class Echo: MessageReceiver, @unchecked Sendable {
    private let transport: any MessageTransport
    private let longest: Int

    init(_ transport: any MessageTransport, longest: Int) {
        self.transport = transport
        self.longest = longest
    }

    func transportDidOpen(_ peer: TransportPeer) {}

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        if message.count <= longest { transport.send(message.span) }
    }

    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}

/// Answers each BLIP request with its own body.
private final class BLIPAnswerer: BLIPHandler {
    private let channel: BLIPChannel

    init(_ channel: BLIPChannel) {
        self.channel = channel
    }

    func channelDidReceive(_ event: BLIPEvent) {
        guard case .request(let request) = event else { return }
        channel.reply(to: request.id, with: BLIPReply(body: .bytes(request.body)))
    }
}
