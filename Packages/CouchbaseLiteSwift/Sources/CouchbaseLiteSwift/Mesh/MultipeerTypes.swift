import DivanMeshPeer
public import Foundation

/// Returns whether to replicate a document with a peer.
///
/// Like ``ReplicationFilter``; it applies no matter which of the two peers opened the connection.
public typealias MultipeerReplicationFilter = @Sendable (PeerID, Document, DocumentFlags) -> Bool

/// Resolves conflicts with the peers of a group.
@preconcurrency public protocol MultipeerConflictResolver: Sendable {
    /// Returns the local document, the remote document, or a new or edited document; `nil` deletes the document.
    ///
    /// Like ``ConflictResolverProtocol/resolve(conflict:)``: every peer must return the same result for the same
    /// conflict.
    func resolve(peerID: PeerID, conflict: Conflict) -> Document?
}

/// A collection to sync with the peers of a group, and which of its documents.
public struct MultipeerCollectionConfiguration: Sendable {
    /// The collection.
    public let collection: Collection
    /// The documents to sync; `nil` or empty means all.
    public var documentIDs: [String]?
    /// Selects the documents that a peer gets; `nil` means all.
    public var pushFilter: MultipeerReplicationFilter?
    /// Selects the documents that are accepted from a peer; `nil` means all.
    public var pullFilter: MultipeerReplicationFilter?
    /// A condition in SQL++ for the documents that peers send to this one, an addition to the official API.
    ///
    /// `nil` means all. It can use the body and `META().id`, and has at most 1 KiB, all conditions of a peer together 4 KiB. Deletions are
    /// always sent. A subscription is an interest and protects nothing: `pushFilter` of the others decides what this peer
    /// can get. A document that no longer meets the condition may stay as it is.
    public var subscription: String?
    /// Resolves conflicts; `nil` means ``ConflictResolver/default``.
    public var conflictResolver: (any MultipeerConflictResolver)?

    /// Creates a configuration without filters.
    public init(collection: Collection) {
        self.collection = collection
    }
}

/// Accepts or rejects the peers of a group.
@preconcurrency public protocol MultipeerAuthenticator: Sendable {}

/// Accepts peers by their certificates.
public struct MultipeerCertificateAuthenticator: MultipeerAuthenticator {
    let trust: Mesh.Trust

    /// Creates an authenticator that calls a closure with the ID and the certificates of a peer, its own first.
    ///
    /// Called during handshakes, on threads that also serve other peers: it must return quickly.
    @preconcurrency public init(
        _ authenticator: @escaping @Sendable (PeerID, [SecCertificate]) -> Bool
    ) {
        trust = .callback(authenticator)
    }

    /// Creates an authenticator that accepts valid certificates signed by one of these.
    public init(rootCerts: [SecCertificate]) {
        trust = .roots(rootCerts)
    }
}

/// A network over which the peers of a group communicate.
public enum MultipeerTransport: Hashable, Sendable {
    /// Any IP network.
    case wifi
    /// Bluetooth, which is not available on Linux.
    case bluetooth
}

/// The group of a ``MultipeerReplicator``, its identity, and what it syncs.
public struct MultipeerReplicatorConfiguration: Sendable {
    /// The name of the group: 1 to 63 bytes, without control characters and `.`, `,`, `\`.
    public let peerGroupID: String
    /// The identity, whose certificate must be usable for servers and clients.
    public let identity: TLSIdentity
    /// Which peers are accepted.
    public let authenticator: any MultipeerAuthenticator
    /// The collections, all from one database.
    public let collections: [MultipeerCollectionConfiguration]
    /// The networks to use; `bluetooth` is accepted, and reported as unsupported.
    public var transports: Set<MultipeerTransport> = [.wifi]
    /// How peers find each other; an addition to the official API.
    public var discovery = MeshDiscovery.network
    /// Addresses of other peers, `wss://host:port`; an addition to the official API.
    public var seeds: [URL] = []

    /// Creates a configuration.
    ///
    /// - Precondition: The group and the collections are not empty.
    public init(
        peerGroupID: String,
        identity: TLSIdentity,
        authenticator: any MultipeerAuthenticator,
        collections: [MultipeerCollectionConfiguration]
    ) {
        if peerGroupID.isEmpty {
            stopForMisuse("MultipeerReplicatorConfiguration: empty peerGroupID; pass a name")
        }
        if collections.isEmpty {
            stopForMisuse("MultipeerReplicatorConfiguration: no collections; pass at least one")
        }
        self.peerGroupID = peerGroupID
        self.identity = identity
        self.authenticator = authenticator
        self.collections = collections
    }
}

/// The status of a ``MultipeerReplicator``, or of one of its transports.
public struct MultipeerReplicatorStatus: Sendable {
    /// Whether it is running.
    public let active: Bool
    /// Why it is not running, an `NSError`; `nil` if it was stopped, or not started.
    public let error: (any Error)?
    /// The transport; `nil` for the replicator as a whole.
    public let transport: MultipeerTransport?

    init(active: Bool, error: (any Error)? = nil, transport: MultipeerTransport? = nil) {
        self.active = active
        self.error = error
        self.transport = transport
    }
}

/// A peer went online or offline.
public struct PeerDiscoveryStatus: Sendable {
    /// The peer.
    public let peerID: PeerID
    /// Whether it is online.
    public let online: Bool
    /// The transport by which it was found.
    public let transport: MultipeerTransport?
}

/// The replication with a peer has changed.
public struct PeerReplicatorStatus: Sendable {
    /// The peer.
    public let peerID: PeerID
    /// Whether this peer opened the connection.
    public let outgoing: Bool
    /// The status; `stopped` with the error if the peer was refused.
    public let status: Replicator.Status
    /// The transport of the connection.
    public let transport: MultipeerTransport?
}

/// Documents that were sent to a peer or received from it, or that failed.
public struct PeerDocumentReplication: Sendable {
    /// The peer.
    public let peerID: PeerID
    /// Whether the documents were pushed; if false, they were pulled.
    public let isPush: Bool
    /// The documents.
    public let documents: [ReplicatedDocument]
    /// The transport of the connection.
    public let transport: MultipeerTransport?
}

/// The status of a peer of the group, at one moment.
public struct PeerInfo: Sendable {
    /// The peer.
    public let peerID: PeerID
    /// Its certificate; `nil` until it has been verified.
    public let certificate: SecCertificate?
    /// Whether it is online.
    public let online: Bool
    /// The replication with it; `stopped` if it is not directly connected.
    public let replicatorStatus: Replicator.Status
    /// The peers to which it is connected.
    public let neighborPeers: [PeerID]
    /// The transports by which it was found.
    public let transports: Set<MultipeerTransport>
    /// The transport of the connection; `nil` if it is not directly connected.
    public let replicatorTransport: MultipeerTransport?
}
