public import DivanConflicts
public import DivanDiscovery
public import DivanMesh
public import DivanReplicator
import DivanSession
public import DivanStore
public import DivanTLS
import DivanWebSocket
import DivanZlib

/// The configuration of a mesh peer: its identity, the peers it trusts, what it syncs, and how it finds others.
public struct MeshPeerConfiguration: Sendable {
    /// The group; peers of other groups are neither found nor accepted.
    public var group: MeshGroup
    /// The identity, for both directions; the digest of its certificate is the peer's ID.
    public var credential: TLSCredential
    /// Which peers are accepted.
    public var trust: PeerTrust
    /// The collections to sync, 1 to `MeshPeerLimits.collectionCount`; two peers sync those that both have.
    public var collections: [CollectionPath]
    /// Conditions for the documents that other peers send, by collection; they send everything of the others.
    ///
    /// A subscription protects nothing: it says what this peer is interested in. The limits are in `MeshPeerLimits`.
    public var subscriptions: [CollectionPath: String] = [:]
    /// Turns a condition, of this peer or another, into a filter; throws if it is invalid, which refuses the peer.
    ///
    /// Deletions should pass, so that they reach every peer that has the document.
    public var compile: @Sendable (_ condition: String) throws -> DocumentFilter = { _ in
        throw UnsupportedSubscription()
    }
    /// Whether `adjust` leaves documents out, so that this peer cannot carry all to others.
    ///
    /// The same is assumed of a peer with subscriptions.
    public var filtersDocuments = false
    /// Finds peers on the network; `nil` if only seeds are called.
    public var discovery: (any PeerDiscovery)?
    /// Addresses to call if discovery does not find peers, at most `MeshLimits.seedCount`.
    ///
    /// One running peer is enough: it passes on the addresses of all others.
    public var seeds: [MeshAddress] = []
    /// The port to listen on; 0 selects a free one.
    public var port: UInt16 = 0
    /// The name or address of the interface to listen on; `nil` listens on all.
    public var networkInterface: String?
    /// Host names and addresses by which other peers reach this one, the best first; IPv6 addresses in brackets.
    ///
    /// They are passed on in gossip. The first `MeshLimits.addressCount` are used.
    public var hosts: [String] = []
    /// Time without data until a connection is checked with a ping.
    public var heartbeat = Duration.seconds(300)
    /// Changes the engine's configuration for one link: filters, compression, ciphers.
    ///
    /// Called on the threads of the library. The role is active if this peer called.
    public var adjust: @Sendable (MeshPeerID, inout PeerConfiguration) -> Void = { _, _ in }
    /// The resolvers for conflicts with a peer, by collection; others use the default resolver.
    public var resolvers: @Sendable (MeshPeerID) -> [CollectionPath: any ConflictResolver] = { _ in
        [:]
    }
    /// Called with each event, one at a time and in order, on a thread of the library; it must return quickly.
    public var onEvent: @Sendable (MeshPeerEvent) -> Void = { _ in }

    /// Creates a configuration without discovery and seeds; set at least one of them.
    public init(
        group: MeshGroup,
        credential: TLSCredential,
        trust: PeerTrust,
        collections: [CollectionPath]
    ) {
        self.group = group
        self.credential = credential
        self.trust = trust
        self.collections = collections
    }

    func check() throws(MeshPeerError) {
        guard !collections.isEmpty else { throw .noCollection }
        let byteCount = collections.reduce(0) { $0 + $1.wireName.utf8.count + 1 }
        guard collections.count <= MeshPeerLimits.collectionCount,
            byteCount <= MeshPeerLimits.collectionsByteCount
        else { throw .tooManyCollections(count: collections.count) }
        guard discovery != nil || !seeds.isEmpty else { throw .nothingToFindPeersBy }
        if let path = subscriptions.keys.first(where: { !collections.contains($0) }) {
            throw .invalidSubscription(path.wireName, reason: "the collection is not synced")
        }
        _ = try interest(in: subscriptions)
    }
}

/// Conditions cannot be evaluated without `MeshPeerConfiguration.compile`.
private struct UnsupportedSubscription: Error, CustomStringConvertible {
    var description: String { "this peer does not support conditions" }
}

// MARK: - The connection of a link

extension MeshPeerConfiguration {
    /// Limits the messages of a connection in either direction.
    func limit(_ webSocket: inout WebSocketConnection.Configuration) {
        webSocket.heartbeatInterval = heartbeat
        webSocket.limits.payloadByteCount = MeshPeerLimits.frameByteCount
        webSocket.limits.messageByteCount = MeshPeerLimits.frameByteCount
    }
}

// MARK: - The engine of a link

extension MeshPeerConfiguration {
    /// The engine of the peer that called: continuous, in both directions, with checkpoints by the other peer's ID.
    func activePeer(
        for peer: MeshPeerID,
        _ collections: [CollectionPath],
        _ interest: LinkInterest,
        _ store: Store,
        _ inFlight: RevisionsInFlight
    ) -> PeerConfiguration {
        let options = PeerConfiguration.ActiveOptions(
            pushes: true,
            pulls: true,
            isContinuous: true,
            collections: collections.map { collectionOptions(for: $0, interest) },
            remoteIdentity: "x-divan-mesh:\(peer)"
        )
        return engine(.active(options), for: peer, store, inFlight)
    }

    /// The names of the checkpoints contain both peers' conditions: under other ones, all documents are compared again.
    private func collectionOptions(
        for path: CollectionPath,
        _ interest: LinkInterest
    ) -> PeerConfiguration.CollectionOptions {
        var options = PeerConfiguration.CollectionOptions(path)
        options.interest = interest.filters[path]
        let (theirs, own) = (interest.conditions[path], subscriptions[path])
        if theirs != nil || own != nil {
            options.filterName = "subscriptions: \(theirs ?? "") / \(own ?? "")"
        }
        return options
    }

    /// The engine of the peer that was called.
    func passivePeer(
        for peer: MeshPeerID,
        _ collections: [CollectionPath],
        _ interest: LinkInterest,
        _ store: Store,
        _ inFlight: RevisionsInFlight,
        _ shared: SharedRevisions,
        _ budget: ConnectionBudget
    ) -> PeerConfiguration {
        var options = PeerConfiguration.PassiveOptions(collections: collections)
        options.interests = interest.filters
        options.budget = budget
        options.party = "mesh peer \(peer)"
        options.checkpointOwner = options.party
        options.shared = shared
        return engine(.passive(options.bindingBlobs(of: store)), for: peer, store, inFlight)
    }

    private func engine(
        _ role: PeerConfiguration.Role,
        for peer: MeshPeerID,
        _ store: Store,
        _ inFlight: RevisionsInFlight
    ) -> PeerConfiguration {
        var engine = PeerConfiguration(role: role, codec: DeflateCodec())
        engine.scheme = store.scheme
        engine.usesDeltas = true
        engine.measuresLink = true
        engine.inFlight = inFlight
        adjust(peer, &engine)
        return engine
    }
}
