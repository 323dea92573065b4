import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanTLS
public import Foundation
import Synchronization

/// Syncs collections with all peers of a group, which find and link each other.
///
/// ```swift
/// let mesh = try Mesh(
///     group: "kitchen",
///     collections: [try database.defaultCollection()],
///     identity: identity,
///     trust: .roots([ca])
/// )
/// try mesh.join()
/// for await peer in mesh.peers { print(peer.id, peer.isOnline, peer.status.activity) }
/// ```
///
/// Every peer listens, looks for others and links to a few of them; documents reach the rest over several links. A peer
/// that has left can join again. All members can be used from any thread. While joined, a mesh stays alive without
/// references to it.
///
/// An addition to the official API. ``MultipeerReplicator`` provides a mesh under the official names.
public final class Mesh: Sendable {
    /// Whether this peer has joined the mesh.
    public enum Status: UInt8, Sendable {
        /// Not joined yet, or left.
        case left
        /// Listening, looking for peers and syncing with them.
        case joined
        /// Closing its links.
        case leaving
    }

    /// An event of a mesh.
    public enum Event: Sendable {
        /// The status has changed.
        case status(Status)
        /// A peer went online or offline, or the replication with it has changed.
        case peer(Peer)
        /// Documents were sent to a peer or received from it, or failed.
        case documents(PeerID, isPush: Bool, [ReplicatedDocument])
        /// Discovery has failed, an `NSError`; seeds and known peers are still called.
        case discoveryFailed(any Error)
    }

    private struct State {
        var service: MeshService?
        var status = Status.left
        var departures: [CheckedContinuation<Void, Never>] = []
    }

    /// A copy of the configuration that the mesh was created with.
    public let configuration: Configuration
    /// The ID of this peer, the digest of its certificate.
    public let id: PeerID

    private let state = Mutex(State())
    private let listeners = ListenerList<Event>()

    /// Creates a mesh that has not been joined.
    ///
    /// - Throws: `invalidParameter` (9) for an invalid group, seed or number of collections, `notOpen` (6) for a closed
    ///   database or a deleted collection.
    public init(_ configuration: Configuration) throws {
        self.configuration = configuration
        id = PeerID(MeshPeerID(configuration.identity.credential.leaf))
        // Fails now rather than when joining.
        _ = try translatingErrors { try MeshService(configuration.settings) { _ in } }
    }

    /// Creates a mesh of peers on the local network.
    ///
    /// - Throws: The same errors as `init(_:)`.
    public convenience init(
        group: String,
        collections: [Collection],
        identity: TLSIdentity,
        trust: Trust,
        seeds: [URL] = []
    ) throws {
        var configuration = Configuration(
            group: group,
            collections: collections,
            identity: identity,
            trust: trust
        )
        configuration.seeds = seeds
        try self.init(configuration)
    }

    // MARK: Taking part

    /// Joins the mesh; does nothing if it has joined.
    ///
    /// - Throws: `EADDRINUSE` in `NSPOSIXErrorDomain` if the port is in use, `crypto` (22) if the identity cannot be
    ///   used, `notOpen` (6) for a closed database or a deleted collection, `busy` (16) while leaving.
    public func join() throws {
        try translatingErrors {
            let service = try MeshService(configuration.settings) { event in self.note(event) }
            let isFree = try state.withLock { state in
                guard state.status != .leaving else {
                    throw NSError(CBLError.busy, "mesh: still leaving; wait for leave() to return")
                }
                guard state.status == .left else { return false }
                (state.service, state.status) = (service, .joined)
                return true
            }
            guard isFree else { return }
            do {
                try service.start()
            } catch {
                state.withLock { ($0.service, $0.status) = (nil, .left) }
                throw error
            }
        }
    }

    /// Notifies the other peers, and waits until all links are closed.
    ///
    /// Returns immediately unless joined.
    public func leave() async {
        await withCheckedContinuation { continuation in
            let service = state.withLock { state -> MeshService? in
                guard state.status != .left else { return nil }
                state.status = .leaving
                state.departures.append(continuation)
                return state.service
            }
            if let service { service.stop() } else { continuation.resume() }
        }
    }

    /// Whether this peer has joined the mesh.
    public var status: Status { state.withLock { $0.status } }

    /// The port on which this peer listens; `nil` unless joined.
    public var port: UInt16? { running?.port }

    private var running: MeshPeer? { state.withLock { $0.service }?.peer }

    // MARK: Peers and events

    /// The other peers that are known, online or not, in the order of their IDs; empty unless joined.
    public var knownPeers: [Peer] { knownPeerInfo.map { Peer($0) } }

    var knownPeerInfo: [MeshPeerInfo] { running?.peers ?? [] }

    /// Returns what is known about a peer; `nil` for this peer, for an unknown peer, and unless joined.
    public func peer(_ id: PeerID) -> Peer? {
        guard let engineID = id.engineID else { return nil }
        return running?.peer(engineID).map { Peer($0) }
    }

    /// The known peers, then each peer again when it goes online or offline, or when its replication changes.
    ///
    /// Ends when the mesh is released; continues after leaving and joining again. The latest 1,024 changes are
    /// buffered.
    public var peers: AsyncStream<Peer> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            let token = listeners.addInline(ended: { continuation.finish() }) { event in
                if case .peer(let peer) = event { continuation.yield(peer) }
            }
            continuation.onTermination = { _ in token.remove() }
            for peer in knownPeers { continuation.yield(peer) }
        }
    }

    /// All later events; ends when the mesh is released.
    ///
    /// The latest 1,024 events are buffered until they are read.
    public var events: AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            let token = listeners.addInline(ended: { continuation.finish() }) { event in
                continuation.yield(event)
            }
            continuation.onTermination = { _ in token.remove() }
        }
    }

    deinit { listeners.end() }

    private func note(_ event: MeshPeerEvent) {
        switch event {
        case .started: listeners.post(.status(.joined))
        case .presence(let peer, _), .replication(let peer, _, _):
            if let info = running?.peer(peer) { listeners.post(.peer(Peer(info))) }
        case .documents(let peer, let events):
            guard !listeners.isEmpty else { return }
            for (isPush, documents) in ReplicatedDocument.grouped(events) {
                listeners.post(.documents(PeerID(peer), isPush: isPush, documents))
            }
        case .discoveryFailed(let error):
            listeners.post(.discoveryFailed(NSError(from: error)))
        case .stopped: ended()
        }
    }

    private func ended() {
        let departures = state.withLock { state in
            let departures = state.departures
            state = State()
            return departures
        }
        listeners.post(.status(.left))
        for departure in departures { departure.resume() }
    }
}
