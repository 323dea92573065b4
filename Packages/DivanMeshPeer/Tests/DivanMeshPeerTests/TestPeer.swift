import DivanCrypto
import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTLS
import Foundation
import Synchronization

/// Certificates for peers; with P-256 keys, because they are quick to make.
enum Sample {
    static func authority(_ name: String = "Test Root") throws -> TLSCredential {
        var template = CertificateTemplate(attributes: ["CN": name], usages: [], now: Date())
        template.isAuthority = true
        return try TLSCredential.generate(template, key: .p256)
    }

    static func peer(
        issuer: TLSCredential? = nil,
        made: Date = Date(),
        notAfter: Date? = nil
    ) throws -> TLSCredential {
        let template = CertificateTemplate(
            attributes: ["CN": "peer"],
            usages: [.clientAuth, .serverAuth],
            now: made,
            notAfter: notAfter
        )
        return try TLSCredential.generate(template, key: .p256, issuer: issuer)
    }
}

/// A peer of a mesh on the loopback interface, with a database in memory, and all its events.
final class TestPeer: Sendable {
    let store = Store.inMemory()
    let peer: MeshPeer
    private let log: EventHistory

    init(
        _ credential: TLSCredential,
        trust: PeerTrust,
        group: String = "kitchen",
        _ change: (inout MeshPeerConfiguration) -> Void
    ) throws {
        var configuration = MeshPeerConfiguration(
            group: try MeshGroup(group),
            credential: credential,
            trust: trust,
            collections: [.default]
        )
        configuration.networkInterface = "127.0.0.1"
        configuration.hosts = ["127.0.0.1"]
        let log = EventHistory()
        self.log = log
        configuration.onEvent = { log.add($0) }
        change(&configuration)
        peer = try MeshPeer(store: store, configuration: configuration)
    }

    var id: MeshPeerID { peer.id }

    /// Starts it; returns where others can call it.
    @discardableResult
    func start() throws -> MeshAddress {
        try peer.start()
        return try MeshAddress("127.0.0.1:\(peer.port ?? 0)")
    }

    /// Leaves the mesh, and waits until that is done.
    func leave() async {
        peer.stop()
        await log.first { event -> Bool? in
            guard case .stopped = event else { return nil }
            return true
        }
    }

    /// Waits until a condition holds, checked after each event.
    func wait(until condition: @Sendable () -> Bool) async {
        await log.first { _ -> Bool? in condition() ? true : nil }
    }

    /// The error for which a peer is not linked, once there is one.
    func refusal(of other: MeshPeerID) async -> SyncError? {
        await log.first { event -> SyncError? in
            guard case .replication(other, _, let status) = event, status.activity == .stopped
            else { return nil }
            return status.error
        }
    }
}

/// Events that were reported so far, and those that follow.
private final class EventHistory: Sendable {
    private struct State {
        var events: [MeshPeerEvent] = []
        var observers: [Int: AsyncStream<MeshPeerEvent>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    func add(_ event: MeshPeerEvent) {
        state.withLock { state in
            state.events.append(event)
            for observer in state.observers.values { observer.yield(event) }
        }
    }

    /// The first value that is found, from the first event on.
    @discardableResult
    func first<Value: Sendable>(_ find: @Sendable (MeshPeerEvent) -> Value?) async -> Value? {
        let (stream, continuation) = AsyncStream.makeStream(of: MeshPeerEvent.self)
        let number = state.withLock { state in
            for event in state.events { continuation.yield(event) }
            state.lastNumber += 1
            state.observers[state.lastNumber] = continuation
            return state.lastNumber
        }
        defer { state.withLock { $0.observers[number] = nil } }
        for await event in stream {
            if let value = find(event) { return value }
        }
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

    /// The body as text; `nil` when there is no such document.
    func text(_ id: DocumentID) throws -> String? {
        try read { try $0.document(id, in: .default) }
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Waits until a document has a value, or is absent for `nil`, checking after each commit.
    func wait(for id: DocumentID, _ value: Int?) async throws {
        let expected = value.map { "{\"value\":\($0)}" }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let observation = observe { _ in continuation.yield() }
        defer { observation.cancel() }
        continuation.yield()
        for await _ in changes where try text(id) == expected { return }
    }
}
