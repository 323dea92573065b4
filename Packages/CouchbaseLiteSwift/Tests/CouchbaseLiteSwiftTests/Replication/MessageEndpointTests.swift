import CouchbaseLiteSwift
import DivanBLIP
import DivanTestKit
import DivanZlib
import Foundation
import Synchronization
import Testing

/// Replication over the application's connections: here, two ends in one process.
@Suite(.timeLimit(.minutes(5))) struct MessageEndpointTests {
    /// Delivers messages forever and never reports that it is open.
    private final class EarlySender: Confirming, Sendable {
        private let messageByteCount: Int
        private let end: CheckedContinuation<(any Error)?, Never>

        init(_ messageByteCount: Int, _ end: CheckedContinuation<(any Error)?, Never>) {
            self.messageByteCount = messageByteCount
            self.end = end
        }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            let message = Message.fromData(Data(count: messageByteCount))
            for _ in 0..<20 { connection.receive(message: message) }
        }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
            end.resume(returning: error)
            completion()
        }
    }

    @Test(
        arguments: [ProtocolType.messageStream, .byteStream],
        [
            (100_000, "more than 1048576 bytes before the connection was open"),
            (65 << 20, "more than 67108864 received bytes are waiting to be processed"),
        ]
    )
    func `data that arrives before or faster than it can be processed is limited`(
        type: ProtocolType,
        flood: (messageByteCount: Int, text: String)
    ) async throws {
        let peers = try Peers()
        let listener = try peers.messageListener(type)
        let error = await withCheckedContinuation { end in
            listener.accept(connection: EarlySender(flood.messageByteCount, end))
        }
        let text = error.map { String(describing: $0) } ?? ""
        #expect(text.contains(flood.text))
    }

    /// A connection whose peer pings but reads nothing: nothing that is sent is ever confirmed.
    private final class Pinging: MessageEndpointConnection, Sendable {
        private let sentCount = Atomic(0)
        private let end: CheckedContinuation<Int, Never>

        init(_ end: CheckedContinuation<Int, Never>) {
            self.end = end
        }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            completion(true, nil)
            let ping = Message.fromData(Data([0x89, 0x80, 0, 0, 0, 0]))
            for _ in 0..<50_000 { connection.receive(message: ping) }
            connection.close(error: nil)
        }

        func send(
            message: Message,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            sentCount.add(1, ordering: .relaxed)
        }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
            end.resume(returning: sentCount.load(ordering: .relaxed))
            completion()
        }
    }

    @Test func `unread answers to pings are limited`() async throws {
        let peers = try Peers()
        let listener = try peers.messageListener(.byteStream)
        let count = await withCheckedContinuation { end in
            listener.accept(connection: Pinging(end))
        }
        #expect((1...5_000).contains(count))
    }

    /// Confirms what it sends twice each time, and from some moment on nothing any more.
    private final class Repeating: MessageEndpointConnection, Sendable {
        private static let confirmedCount = 3_000
        private let sentCount = Mutex(0)
        private let replication = Mutex<(any ReplicatorConnection)?>(nil)
        private let end: CheckedContinuation<Int, Never>

        init(_ end: CheckedContinuation<Int, Never>) { self.end = end }

        private func ping(_ count: Int) {
            let ping = Message.fromData(Data([0x89, 0x80, 0, 0, 0, 0]))
            let connection = replication.withLock { $0 }
            for _ in 0..<count { connection?.receive(message: ping) }
        }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            replication.withLock { $0 = connection }
            completion(true, nil)
            ping(20_000)
        }

        func send(
            message: Message,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            let count = sentCount.withLock { count in
                count += 1
                return count
            }
            guard count > Self.confirmedCount else {
                for _ in 0..<2 { completion(true, nil) }
                return
            }
            guard count == Self.confirmedCount + 1 else { return }
            ping(50_000)
            replication.withLock { $0 }?.close(error: nil)
        }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
            end.resume(returning: sentCount.withLock { $0 } - Self.confirmedCount)
            completion()
        }
    }

    @Test func `confirming a message twice frees its space once`() async throws {
        let peers = try Peers()
        let listener = try peers.messageListener(.byteStream)
        let heldCount = await withCheckedContinuation { end in
            listener.accept(connection: Repeating(end))
        }
        #expect((1...5_000).contains(heldCount))
    }

    /// Says something long, never to its end, and reads everything.
    private final class EndlessSender: Confirming, Sendable {
        private let frames: [Data]
        private let onClose: @Sendable () -> Void

        init(_ frames: [Data], _ onClose: @escaping @Sendable () -> Void) {
            self.frames = frames
            self.onClose = onClose
        }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            completion(true, nil)
            for frame in frames { connection.receive(message: .fromData(frame)) }
        }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
            onClose()
            completion()
        }
    }

    /// The frames of two long requests, but for the last ones: 50 MiB.
    private func unfinishedFrames() throws -> [Data] {
        var sender = BLIPConnection(codec: DeflateCodec())
        var reader = BLIPConnection(codec: DeflateCodec())
        let bytes = [UInt8](repeating: 0x78, count: 30 << 20)
        for _ in 0..<2 { sender.send(BLIPRequest(profile: "rev", body: .bytes(bytes))) }
        var frames: [Data] = []
        while reader.openByteCount < 50 << 20 {
            var frame: [UInt8] = []
            if sender.nextFrame(into: &frame) {
                frames.append(Data(frame))
                try reader.receive(frame.span)
            } else {
                guard reader.nextFrame(into: &frame) else { break }
                try sender.receive(frame.span)
            }
        }
        return frames
    }

    @Test func `the memory of all connections of a listener is limited`() async throws {
        let peers = try Peers()
        let listener = try peers.messageListener()
        let frames = try unfinishedFrames()
        let closedCount = Mutex(0)
        let (closings, continuation) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<3 {
            let connection = EndlessSender(frames) {
                closedCount.withLock { $0 += 1 }
                continuation.yield()
            }
            listener.accept(connection: connection)
        }
        // 150 MiB are more than the 128 of a listener; the heaviest goes within a second.
        for await _ in closings { break }
        #expect((1...2).contains(closedCount.withLock { $0 }), "the others go on")
        listener.closeAll()
    }

    private func connect(
        _ peers: Peers,
        _ type: ProtocolType
    ) throws -> (Wire.Delegate, ReplicatorConfiguration) {
        let listener = try peers.messageListener(type)
        let delegate = Wire.Delegate(listener, pieceByteCount: type == .byteStream ? 7 : .max)
        let endpoint = MessageEndpoint(
            uid: "peer-1",
            target: nil,
            protocolType: type,
            delegate: delegate
        )
        return (delegate, try peers.configuration(target: endpoint))
    }

    @Test(arguments: [ProtocolType.messageStream, .byteStream])
    func `a message endpoint syncs in both directions`(type: ProtocolType) async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        for number in 0..<20 {
            try here.put("here-\(number)", number)
            try there.put("there-\(number)", number)
        }
        let (delegate, configuration) = try connect(peers, type)
        try await Replicator(config: configuration).run()
        #expect(delegate.last != nil)
        #expect(here.count == 40)
        #expect(there.count == 40)
    }

    @Test func `a peer that reconnects pulls a change as a delta`() async throws {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        var generator = SeededGenerator(seed: 154)
        let bytes = (0..<8_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let document = MutableDocument(id: "a")
        document.setString(Data(bytes).base64EncodedString(), forKey: "noise")
        try there.save(document: document)
        let (delegate, configuration) = try connect(peers, .messageStream)
        let replicator = Replicator(config: configuration)
        try await replicator.run()
        #expect(try #require(delegate.last).receivedByteCount > 8_000)

        try there.put("a", 7)
        try await replicator.run()
        #expect(try peers.here.defaultCollection().value("a") == 7)
        #expect(try #require(delegate.last).receivedByteCount < 2_000)
    }

    @Test func `a recoverable failure is retried, any other ends the replication`() async throws {
        let peers = try Peers()
        let (delegate, base) = try connect(peers, .messageStream)
        var configuration = base
        configuration.continuous = true
        configuration.maxAttemptWaitTime = 0.01
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        let changes = replicator.statusStream
        delegate.last?.fail(isRecoverable: true)
        var codes: [Int] = []
        for await status in changes {
            if let error = status.error as NSError? { codes.append(error.code) }
            if status.activity == .idle, !codes.isEmpty {
                delegate.last?.fail(isRecoverable: false)
            }
        }
        #expect(codes.first == CBLError.webSocketCloseUserTransient)
        #expect(codes.last == CBLError.webSocketCloseUserPermanent)
    }

    /// Keeps its end of the replication for ever, as the official examples do.
    private final class Keeping: Confirming, Sendable {
        private let replication = Mutex<(any ReplicatorConnection)?>(nil)
        private let end: CheckedContinuation<Void, Never>

        init(_ end: CheckedContinuation<Void, Never>) { self.end = end }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            replication.withLock { $0 = connection }
            completion(true, nil)
            connection.close(error: nil)
        }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
            completion()
        }

        deinit { end.resume() }
    }

    @Test(arguments: [ProtocolType.messageStream, .byteStream])
    func `a closed connection is released even if it keeps its replicator connection`(
        type: ProtocolType
    ) async throws {
        let peers = try Peers()
        let listener = try peers.messageListener(type)
        weak var gone: Keeping?
        // Continues when the connection is released; a connection that is kept exceeds the suite's time limit.
        await withCheckedContinuation { end in
            let connection = Keeping(end)
            gone = connection
            listener.accept(connection: connection)
        }
        #expect(gone == nil)
    }

    /// Sends and does nothing.
    private final class Silent: MessageEndpointConnection, Sendable {
        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {}

        func send(
            message: Message,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {}

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) { completion() }
    }

    @Test func `accepting a connection inside a batch does not deadlock with another thread`()
        async throws
    {
        let peers = try Peers()
        let listener = try peers.messageListener()
        let (began, accepted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            began.wait()
            listener.accept(connection: Silent())
            accepted.signal()
        }
        let refusal = await withCheckedContinuation { end in
            DispatchQueue.global().async {
                try? peers.there.inBatch {
                    began.signal()
                    // Meanwhile the other thread gets as far as it can.
                    letOthersRun()
                    listener.accept(connection: EarlySender(0, end))
                }
            }
        }
        #expect(refusal != nil, "no listener begins inside a batch")
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                accepted.wait()
                done.resume()
            }
        }
        #expect(listener.connections.count == 1)
        listener.closeAll()
    }

    /// Accepts everything and never replies.
    private final class SilentReceiver: Confirming, MessageEndpointDelegate, Sendable {
        let openCount = Atomic(0)

        func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection { self }

        func open(
            connection: any ReplicatorConnection,
            completion: @escaping @Sendable (Bool, MessagingError?) -> Void
        ) {
            completion(true, nil)
            openCount.add(1, ordering: .releasing)
        }

        func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) { completion() }
    }

    @Test func `closing stops all replicators at the same time`() async throws {
        let peers = try Peers()
        let deaf = SilentReceiver()
        for number in 0..<4 {
            let endpoint = MessageEndpoint(
                uid: "deaf-\(number)",
                target: nil,
                protocolType: .byteStream,
                delegate: deaf
            )
            Replicator(config: try peers.configuration(target: endpoint)).start()
        }
        while deaf.openCount.load(ordering: .acquiring) < 4 { await Task.yield() }
        let start = ContinuousClock.now
        try peers.here.close()
        #expect(ContinuousClock.now - start < .seconds(12))
    }
}

/// An application's connection that confirms whatever it is given to send.
private protocol Confirming: MessageEndpointConnection {}

extension Confirming {
    func send(
        message: Message,
        completion: @escaping @Sendable (Bool, MessagingError?) -> Void
    ) {
        completion(true, nil)
    }
}
