import DivanTransport
import DivanWebSocket
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExampleTests {
    @Test
    func `the README's example works`() async throws {
        let server = WebSocketServer(.init(networkInterface: "127.0.0.1")) { request in
            guard let name = request.handshake.subprotocols.first else {
                return request.refuse(HandshakeRefusal(status: 400))
            }
            request.accept(subprotocol: name) { transport in transport.start(Echo(transport)) }
        }
        let port = try server.start()
        defer { server.stop() }  // a released server stops, too

        let endpoint = try WebSocketEndpoint("ws://127.0.0.1:\(port)/db")
        let client = WebSocketClientTransport(.init(endpoint: endpoint, subprotocols: ["example"]))
        let receiver = Recorder(onOpen: { client.send([1, 2, 3]) })
        client.start(receiver)  // transportDidOpen, transportDidReceive, …, transportDidClose

        #expect(await receiver.wait { $0.messageCount == 1 }.messages == [[1, 2, 3]])
        client.close(code: 1000, reason: "")
        await receiver.end()
    }
}

/// Sends every message back.
private final class Echo: MessageReceiver {
    private let transport: any MessageTransport

    init(_ transport: any MessageTransport) {
        self.transport = transport
    }

    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) { transport.send(message.span) }
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}
