import Dispatch
import DivanPlatform
import Foundation
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

/// What a listener may do inside its callback: everything that an application may do elsewhere.
///
/// `@testable`: a log line marks the moment at which a run ends. A deadlock shows as a test that takes too long.
@Suite(.timeLimit(.minutes(5))) struct InsideListenerTests {
    /// The caller.
    enum Kind: CaseIterable {
        case collection, document, liveQuery, status, documents
    }

    /// The action inside the callback.
    enum Action: CaseIterable {
        case closes, deletes, removesItself, stops, restarts, saves, saves100, queries, makesIndex
        case deletesCollection, batches, opensAgain, compacts, drains
    }

    /// One listener on its own queue, and everything that it may use.
    private final class ListenerFixture: Sendable {
        let peers: Peers
        let collection: CouchbaseLiteSwift.Collection
        let replicator: Replicator
        let token = Mutex<ListenerToken?>(nil)
        private let wasCalled = Mutex(false)
        private let queue = DispatchQueue(label: "test")
        private let done: AsyncStream<Void>.Continuation
        private let isDone: AsyncStream<Void>

        init() throws {
            peers = try Peers()
            collection = try peers.here.createCollection(name: "c")
            _ = try peers.there.createCollection(name: "c")
            var configuration = try peers.configuration(collections: [collection])
            configuration.continuous = true
            replicator = Replicator(config: configuration)
            (isDone, done) = AsyncStream.makeStream(of: Void.self)
        }

        func listen(_ kind: Kind, _ action: Action) throws {
            let act: @Sendable () -> Void = { [self] in
                guard wasCalled.withLock({ $0.exchange(true) }) else { return }
                try? perform(action)
                done.finish()
            }
            let made =
                switch kind {
                case .collection: collection.addChangeListener(queue: queue) { _ in act() }
                case .document:
                    collection.addDocumentChangeListener(id: "a", queue: queue) { _ in act() }
                case .liveQuery:
                    try peers.here.createQuery("SELECT value FROM c")
                        .addChangeListener(withQueue: queue) { _ in act() }
                case .status: replicator.addChangeListener(withQueue: queue) { _ in act() }
                case .documents:
                    replicator.addDocumentReplicationListener(withQueue: queue) { _ in act() }
                }
            token.withLock { $0 = made }
        }

        func waitUntilDone() async { for await _ in isDone {} }

        private func perform(_ action: Action) throws {
            let database = peers.here
            switch action {
            case .closes: try database.close()
            case .deletes: try database.delete()
            case .removesItself: token.withLock { $0 }?.remove()
            case .stops: replicator.stop()
            case .restarts:
                replicator.stop()
                replicator.start()
                replicator.start(reset: true)
            case .saves: try collection.put("b", 1)
            case .saves100: for number in 0..<100 { try collection.put("a", number) }
            case .queries:
                _ = try database.createQuery("SELECT COUNT(*) FROM c").execute().allResults()
            case .makesIndex:
                try collection.createIndex(
                    withName: "i",
                    config: ValueIndexConfiguration(["value"])
                )
            case .deletesCollection: try database.deleteCollection(name: "c")
            case .batches:
                try database.inBatch {
                    try collection.put("c", 1)
                    token.withLock { $0 }?.remove()
                    replicator.stop()
                }
            case .opensAgain:
                let again = try Database(name: database.name, config: database.config)
                try again.defaultCollection().put("z", 1)
                try again.close()
            case .compacts: try database.performMaintenance(type: .compact)
            case .drains:
                replicator.stop()
                try database.close()
                try peers.there.close()
            }
        }
    }

    @Test(arguments: Kind.allCases, Action.allCases)
    func `a listener can call any API`(
        _ kind: Kind,
        _ action: Action
    ) async throws {
        let scene = try ListenerFixture()
        try scene.listen(kind, action)
        scene.replicator.start()
        // A listener that is called at the start may have closed everything by now.
        try? scene.collection.put("a", 1)
        await scene.waitUntilDone()
        try? scene.peers.here.close()
        try? scene.peers.there.close()
    }

    /// Learns of the end of a run before anyone else, and lets another one start.
    private struct EndSink: LogSinkProtocol {
        let isLast: @Sendable (String) -> Void

        func writeLog(level: LogLevel, domain: LogDomain, message: String) { isLast(message) }
    }

    @Test func `waiting for a replicator restarted from its stop event waits for the new run`()
        async
    {
        await #expect(processExitsWith: .success) {
            let peers = try Peers()
            let replicator = Replicator(config: try peers.configuration())
            let ends = Atomic(0)
            let (outcome, said) = AsyncStream.makeStream(of: Replicator.ActivityLevel.self)
            let sink = EndSink { message in
                guard message.hasPrefix("Replicator to"), message.contains(": stopped"),
                    ends.add(1, ordering: .relaxed).newValue == 1
                else { return }
                Task {
                    try? await replicator.run()
                    said.yield(replicator.status.activity)
                    said.finish()
                }
                // An error would show in this time; correct code waits for us.
                let patience = ContinuousClock.now + .milliseconds(500)
                while replicator.status.activity == .stopped, ContinuousClock.now < patience {}
            }
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            try await replicator.run()
            for await activity in outcome {
                let isOver = activity == .stopped && ends.load(ordering: .relaxed) == 2
                CurrentProcess.exit(isOver ? 0 : 1)
            }
        }
    }

    /// Reads everything, and starts and ends what it can.
    private struct CuriousSink: LogSinkProtocol {
        let listener: URLEndpointListener
        let isAsked: @Sendable () -> Void

        func writeLog(level: LogLevel, domain: LogDomain, message: String) {
            guard domain == .listener, message.hasPrefix("Listening on") else { return }
            isAsked()
            _ = (
                listener.port, listener.status, listener.statistics, CouchbaseLiteSwift.metrics.text
            )
            try? listener.start()
            listener.stop()
        }
    }

    @Test func `a log sink can use the listener that is starting`() async {
        await #expect(processExitsWith: .success) {
            let peers = try Peers()
            var config = URLEndpointListenerConfiguration(
                collections: [try peers.there.defaultCollection()]
            )
            config.disableTLS = true
            config.networkInterface = "127.0.0.1"
            let listener = URLEndpointListener(config: config)
            let count = Atomic(0)
            let sink = CuriousSink(listener: listener) { count.add(1, ordering: .relaxed) }
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            try listener.start()
            let hasBegun = count.load(ordering: .relaxed) == 1 && listener.port != nil
            try peers.there.close()
            CurrentProcess.exit(hasBegun && listener.port == nil ? 0 : 1)
        }
    }
}

extension Bool {
    /// Sets the value; returns whether that changed it.
    fileprivate mutating func exchange(_ value: Bool) -> Bool {
        defer { self = value }
        return self != value
    }
}
