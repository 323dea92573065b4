import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTransport
import DivanZlib
import Synchronization

/// Two databases in memory, and sessions between them over a pair of transports in this process.
///
/// `here` belongs to the active side, `there` to the passive one.
struct TwoStores {
    let here = Store.inMemory()
    let there = Store.inMemory()

    /// The engine's configuration of an active peer that replicates the default collection.
    func active(
        pushes: Bool = true,
        pulls: Bool = true,
        isContinuous: Bool = false,
        _ change: (inout PeerConfiguration.CollectionOptions) -> Void = { _ in }
    ) -> PeerConfiguration {
        var collection = PeerConfiguration.CollectionOptions(.default)
        change(&collection)
        let options = PeerConfiguration.ActiveOptions(
            pushes: pushes,
            pulls: pulls,
            isContinuous: isContinuous,
            collections: [collection],
            remoteIdentity: "ws://there:4984/db/_blipsync"
        )
        return PeerConfiguration(role: .active(options), codec: DeflateCodec())
    }

    /// A configuration whose every attempt to connect reaches a new passive session.
    func configuration(
        _ peer: PeerConfiguration? = nil,
        retry: RetrySchedule? = nil,
        passives: Passives = Passives()
    ) -> ActiveSession.Configuration {
        let there = there
        var configuration = ActiveSession.Configuration(peer: peer ?? active()) { loop in
            let pair = InProcessPair(
                subprotocol: Subprotocol.version3.rawValue,
                firstLoop: loop
            )
            let passive = PassiveSession(
                store: there,
                peer: PeerConfiguration(
                    role: .passive(.init(collections: [.default])),
                    codec: DeflateCodec()
                ),
                transport: pair.second
            )
            passive.start()
            passives.add(passive)
            return pair.first
        }
        configuration.retry = retry
        return configuration
    }
}

/// The passive sessions that were created so far.
final class Passives: Sendable {
    private let list = Mutex<[PassiveSession]>([])

    var last: PassiveSession? { list.withLock { $0.last } }

    func add(_ session: PassiveSession) {
        list.withLock { $0.append(session) }
    }
}

/// An active session with what it reports.
struct Run {
    let session: ActiveSession
    let statuses: AsyncStream<SyncStatus>
    let documents: Documents

    /// Collects document events from the session's loop.
    final class Documents: Sendable {
        private let list = Mutex<[DocumentEvent]>([])

        var events: [DocumentEvent] { list.withLock { $0 } }

        func add(_ events: [DocumentEvent]) {
            list.withLock { $0 += events }
        }
    }

    init(_ store: Store, _ configuration: ActiveSession.Configuration) {
        var configuration = configuration
        let (statuses, continuation) = AsyncStream.makeStream(of: SyncStatus.self)
        let documents = Documents()
        configuration.onStatus = { status in
            continuation.yield(status)
            if status.activity == .stopped { continuation.finish() }
        }
        configuration.onDocuments = { documents.add($0) }
        session = ActiveSession(store: store, configuration: configuration)
        self.statuses = statuses
        self.documents = documents
    }

    /// Starts, and returns all statuses to the end.
    func toTheEnd() async -> [SyncStatus] {
        session.start()
        var all: [SyncStatus] = []
        for await status in statuses { all.append(status) }
        return all
    }

    /// Waits for an activity; the next wait continues after it.
    func reached(_ activity: SyncStatus.Activity) async -> SyncStatus? {
        for await status in statuses where status.activity == activity { return status }
        return nil
    }
}

extension Store {
    /// Saves a document with one number in it.
    func put(_ id: DocumentID, _ value: Int) throws {
        _ = try write { writer in
            try writer.save(id, in: .default, body: Array("{\"value\":\(value)}".utf8))
        }
    }

    /// Deletes a document.
    func delete(_ id: DocumentID) throws {
        _ = try write { writer in
            try writer.save(id, in: .default, body: Array("{}".utf8), isTombstone: true)
        }
    }

    /// The body as text; `nil` when there is no such document.
    func text(_ id: DocumentID) throws -> String? {
        try read { try $0.document(id, in: .default) }
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Waits until `condition` holds, checking again after each commit.
    func wait(until condition: @Sendable () throws -> Bool) async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let observation = observe { _ in continuation.yield() }
        defer { observation.cancel() }
        continuation.yield()
        for await _ in changes where try condition() { return }
    }
}
