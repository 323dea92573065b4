import DivanListener
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTestKit
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// Clients that connect properly and then send arbitrary data.
@Suite(.timeLimit(.minutes(5))) struct HostilePeerTests {
    /// Sends messages once it is accepted, and reports how the connection ends.
    private final class Client: MessageReceiver {
        private let transport: WebSocketClientTransport
        private let messages: [[UInt8]]
        private let continuation: AsyncStream<TransportClose>.Continuation
        let ends: AsyncStream<TransportClose>

        init(_ port: UInt16, _ messages: [[UInt8]]) throws {
            let url = try WebSocketURL("ws://127.0.0.1:\(port)/kitchen")
            transport = WebSocketClientTransport(
                .init(endpoint: url.endpoint, subprotocols: Subprotocol.offered)
            )
            self.messages = messages
            (ends, continuation) = AsyncStream.makeStream()
        }

        func start() { transport.start(self) }

        func transportDidOpen(_ peer: TransportPeer) {
            for message in messages { transport.send(message) }
        }

        func transportDidReceive(_ message: ArraySlice<UInt8>) {}
        func transportDidDrainInput() {}
        func transportDidBecomeWritable() {}

        func transportDidClose(_ close: TransportClose) {
            continuation.yield(close)
            continuation.finish()
        }
    }

    @Test(arguments: UInt64(0)..<12)
    func `random messages close their own connection and no other`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        // Half of all noise looks like an acknowledgement of nothing, which is ignored.
        let messages = (0..<40).map { _ in
            (0..<Int.random(in: 1...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
        }
        let serving = try Serving()
        let client = try Client(serving.port, messages)
        client.start()
        var endCount = 0
        for await end in client.ends {
            endCount += 1
            guard case .clean(let code, _, let isByPeer) = end else { continue }
            #expect(isByPeer, "seed \(seed)")
            #expect(code == 1002 || code == 1011 || code == 1009, "seed \(seed): \(code)")
        }
        #expect(endCount == 1)

        let other = Store.inMemory()
        try other.put("a", 1)
        #expect(try await serving.sync(other)?.error == nil, "seed \(seed)")
    }
}
