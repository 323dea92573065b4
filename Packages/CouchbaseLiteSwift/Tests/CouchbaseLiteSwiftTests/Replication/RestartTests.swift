import DivanTransport
import DivanWebSocket
import Foundation
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

/// Services that end while others start: the database keeps running services alive, and ends them.
///
/// `@testable`: a listener on the posting thread and a separate transport hit the moment reliably.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    /// Lets every loop run often enough for everything under way to end.
    private func turnLoops() async {
        for _ in 0..<50 {
            for loop in EventLoopGroup.shared.loops {
                await withCheckedContinuation { continuation in
                    _ = loop.schedule(at: loop.now + .milliseconds(2)) { continuation.resume() }
                }
            }
        }
    }

    @Test func `a listener restarted while clients disconnect stops when its database closes`()
        async throws
    {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        let changes = replicator.statusStream

        listener.stop()
        try listener.start()
        for await _ in changes {}
        await turnLoops()
        #expect(listener.port != nil)

        try peers.there.close()
        #expect(listener.port == nil)
    }

    @Test func `a replicator restarted from its stop event stops when its database closes`()
        async throws
    {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        let changes = replicator.statusStream
        let hasRestarted = Mutex(false)
        let token = replicator.changeListeners.addInline { [weak replicator] change in
            guard change.status.activity == .stopped else { return }
            let isFirst = hasRestarted.withLock { hasRestarted in
                defer { hasRestarted = true }
                return !hasRestarted
            }
            if isFirst { replicator?.start() }
        }
        defer { token.remove() }

        replicator.stop()
        for await _ in changes {}
        await turnLoops()
        #expect(replicator.status.activity != .stopped)

        try peers.here.close()
        #expect(replicator.status.activity == .stopped)
    }

    /// A slow listener prolongs the moment at which the end is current but not yet reported.
    @Test func `a replicator restarted while it stops reports the stop first`()
        async throws
    {
        let peers = try Peers()
        var configuration = try peers.configuration(
            target: DatabaseEndpoint(database: peers.there)
        )
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        let began = DispatchSemaphore(value: 0)
        let slow = replicator.changeListeners.addInline { [weak replicator] change in
            switch change.status.activity {
            case .stopped:
                while began.wait(timeout: .now()) == .success {}
                replicator?.start()
                #expect(began.wait(timeout: .now() + 0.1) == .timedOut)
            default: began.signal()
            }
        }
        let changes = replicator.statusStream
        replicator.stop()
        for await _ in changes {}
        slow.remove()
        let next = replicator.statusStream
        replicator.stop()
        for await _ in next {}
        #expect(replicator.status.activity == .stopped)
        try peers.here.close()
        try peers.there.close()
    }

    /// An application's connection that opens when asked to, and sends nothing.
    private final class Silent: MessageEndpointConnection, Sendable {
        private let closings = Mutex(0)

        var closeCount: Int { closings.withLock { $0 } }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) { completion(true, nil) }

        func send(
            message: Message,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) { completion(true, nil) }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
            closings.withLock { $0 += 1 }
            completion()
        }
    }

    /// Waits for one end.
    private final class EndReceiver: MessageReceiver {
        private let didClose: @Sendable () -> Void

        init(_ didClose: @escaping @Sendable () -> Void) {
            self.didClose = didClose
        }

        func transportDidOpen(_ peer: TransportPeer) {}
        func transportDidReceive(_ message: ArraySlice<UInt8>) {}
        func transportDidDrainInput() {}
        func transportDidBecomeWritable() {}
        func transportDidClose(_ close: TransportClose) { didClose() }
    }

    @Test(arguments: [ProtocolType.messageStream, .byteStream])
    func `starting a message connection that is already closed reports the close`(
        type: ProtocolType
    ) async {
        let transport = MessageConnectionTransport(
            Silent(),
            subprotocol: "A",
            protocolType: type,
            role: .client,
            loop: EventLoopGroup.shared.next()
        )
        await withCheckedContinuation { continuation in
            transport.close(code: 1001, reason: "")
            transport.start(EndReceiver { continuation.resume() })
        }
    }

    @Test func `closing the database stops a connection that was accepted twice`()
        async throws
    {
        let peers = try Peers()
        let listener = try peers.messageListener()
        let connection = Silent()
        listener.accept(connection: connection)
        listener.accept(connection: connection)
        listener.close(connection: connection)
        await turnLoops()
        #expect(listener.connections.isEmpty)
        #expect(connection.closeCount == 2)
        try peers.there.close()
    }
}
