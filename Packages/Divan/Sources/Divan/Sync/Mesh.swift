@_spi(Modern) internal import CouchbaseLiteSwift
public import Foundation
internal import Synchronization

/// Syncs collections with all peers of a group, which find and link each other.
///
/// ```swift
/// let mesh = try await Mesh.join(
///     "robots",
///     sharing: db,
///     identity: try Identity(contentsOf: identityFile),
///     trust: .authority(authority)
/// )
/// for await peer in mesh.peers { print(peer.id, peer.isOnline, peer.status) }
/// ```
///
/// Every peer listens, looks for others and links to a few of them; documents reach the rest over several links. While
/// joined, a mesh stays alive without references to it, until ``leave()`` is called or its database is closed. Can be
/// used from any thread.
public final class Mesh: Sendable {
    /// The database that is shared.
    public let database: Database
    let official: CouchbaseLiteSwift.Mesh
    private let bridge: CallbackBridge
    private let changes = Broadcast<Peer>()
    private let replicated = Broadcast<(peer: PeerID, document: Sync.ReplicatedDocument)>()
    private let problems = Mutex<DivanError?>(nil)

    /// Joins a group.
    ///
    /// Blocks while the port is opened.
    ///
    /// - Parameters:
    ///   - group: The name of the group: 1 to 63 bytes, without control characters and `.`, `,`, `\`. It does not appear
    ///     on the network.
    ///   - database: The database.
    ///   - collections: The collections, with filters, which apply to all peers; `nil` means all that the database has
    ///     now. Two peers sync those that both have.
    ///   - identity: The identity of this peer; its certificate must be usable for servers and clients.
    ///   - trust: Which other peers are accepted.
    ///   - resolver: Resolves conflicts, unless a selection has its own resolver.
    ///   - discovery: How peers find each other.
    ///   - seeds: Addresses of other peers, `wss://host:port`, at most 64, for networks where discovery does not reach.
    ///     One running peer is enough: it passes on the addresses of all others.
    ///   - port: The port to listen on; 0 selects a free one.
    ///   - networkInterface: The name or address of the interface to listen on; `nil` listens on all.
    /// - Returns: The joined mesh.
    /// - Throws: ``DivanError/Code/invalidArgument`` for an invalid group, seed or selection,
    ///   ``DivanError/Code/invalidIdentity`` if the identity cannot be used, ``DivanError/Code/busy`` if the port is in
    ///   use, ``DivanError/Code/notOpen`` for a closed database or a deleted collection.
    public static func join(
        _ group: String,
        sharing database: Database,
        collections: [Sync.Selection]? = nil,
        identity: Identity,
        trust: Trust,
        resolver: any ConflictResolver = .standard,
        discovery: Discovery = .network,
        seeds: [URL] = [],
        port: UInt16 = 0,
        networkInterface: String? = nil
    ) throws -> Mesh {
        let settings = MeshSettings(
            group: group,
            database: database,
            selections: collections,
            identity: identity,
            trust: trust,
            resolver: resolver,
            discovery: discovery,
            seeds: seeds,
            port: port,
            networkInterface: networkInterface
        )
        return try DivanError.converting(place: settings.place) { try Mesh(settings) }
    }

    /// Joins a group, without blocking a thread of the cooperative pool.
    ///
    /// The parameters and errors are those of the plain form.
    public static func join(
        _ group: String,
        sharing database: Database,
        collections: [Sync.Selection]? = nil,
        identity: Identity,
        trust: Trust,
        resolver: any ConflictResolver = .standard,
        discovery: Discovery = .network,
        seeds: [URL] = [],
        port: UInt16 = 0,
        networkInterface: String? = nil
    ) async throws -> Mesh {
        let settings = MeshSettings(
            group: group,
            database: database,
            selections: collections,
            identity: identity,
            trust: trust,
            resolver: resolver,
            discovery: discovery,
            seeds: seeds,
            port: port,
            networkInterface: networkInterface
        )
        return try await Background.placing(settings.place) { try Mesh(settings) }
    }

    private init(_ settings: MeshSettings) throws {
        database = settings.database
        bridge = CallbackBridge()
        official = try CouchbaseLiteSwift.Mesh(try settings.configuration(bridge))
        let events = official.events
        try official.join()
        Task { [weak self, changes, replicated] in
            for await event in events {
                switch event {
                case .status(.left):
                    changes.finish()
                    replicated.finish()
                    return
                case .status: break
                case .peer(let peer): changes.send(Peer(peer))
                case .documents(let peer, let isPush, let documents):
                    guard !replicated.isEmpty else { break }
                    for document in documents {
                        let document = Sync.ReplicatedDocument(document, isPush: isPush)
                        replicated.send((PeerID(peer), document))
                    }
                case .discoveryFailed(let error):
                    self?.problems.withLock { $0 = DivanError(error, place: "discovery") }
                }
            }
        }
    }
}

// MARK: - The joined mesh

extension Mesh {
    /// The ID of this peer, the digest of its certificate.
    public var id: PeerID { PeerID(official.id) }

    /// Whether this peer is part of the mesh; false after it has left.
    public var isJoined: Bool { official.status == .joined }

    /// The port on which this peer listens; `nil` after it has left.
    public var port: UInt16? { official.port }

    /// The other peers that are known, online or not, in the order of their IDs.
    public var knownPeers: [Peer] { official.knownPeers.map { Peer($0) } }

    /// The known peers, then each peer again when it goes online or offline, or when the sync with it changes.
    ///
    /// Ends when this peer has left.
    public var peers: Updates<Peer, Never> {
        changes.updates { [official] in
            official.knownPeers.map { Peer($0) }
        } hasEnded: { [official] in
            official.status == .left
        }
    }

    /// The documents that are exchanged with each peer, or fail, from the beginning of the loop on.
    ///
    /// Ends when this peer has left.
    public var documents: Updates<(peer: PeerID, document: Sync.ReplicatedDocument), Never> {
        replicated.updates(bufferLimit: 10_000)
    }

    /// Why discovery has failed; `nil` if it works.
    ///
    /// Seeds and known peers are still called then.
    public var discoveryError: DivanError? { problems.withLock { $0 } }

    /// Notifies the other peers, and returns when all links are closed; does nothing after that.
    public func leave() async {
        bridge.cancelAll()
        if CallbackBridge.isRunning {
            Task { [official] in await official.leave() }
        } else {
            await official.leave()
        }
    }

    /// Which other peers a peer of a mesh accepts; both verify each other.
    public struct Trust: Sendable {
        let official: CouchbaseLiteSwift.Mesh.Trust

        /// Peers with valid certificates that one of these has signed, or that present one of these.
        public static func authority(_ authorities: Certificate...) -> Trust {
            let roots = authorities.map { TLSCertificate($0.wrapped) }
            return Trust(official: .roots(roots))
        }

        /// Peers that a closure accepts, given the peer's ID and certificates, its own first.
        ///
        /// Called during handshakes, on threads that also serve other peers: it must return quickly, and so it is not
        /// `async`. Expired certificates are never accepted.
        public static func peers(
            where isAccepted: @escaping @Sendable (PeerID, [Certificate]) -> Bool
        ) -> Trust {
            Trust(
                official: .callback { peer, chain in
                    isAccepted(PeerID(peer), chain.map { Certificate($0.certificate) })
                }
            )
        }
    }
}

// MARK: - Peers

extension Mesh {
    /// The identity of a peer: the SHA-256 digest of its certificate.
    public struct PeerID: Sendable, Hashable, CustomStringConvertible {
        let official: CouchbaseLiteSwift.PeerID

        init(_ official: CouchbaseLiteSwift.PeerID) {
            self.official = official
        }

        /// The 32 bytes.
        public var bytes: Data { official.bytes }

        /// The bytes as 64 hexadecimal digits, like ``Certificate/fingerprint``.
        public var description: String { official.description }
    }

    /// Another peer of a mesh, at one moment.
    public struct Peer: Equatable, Identifiable, Sendable {
        /// How two peers are connected.
        public enum Link: Sendable, Hashable {
            /// This peer opened the connection.
            case outgoing
            /// The other peer opened the connection.
            case incoming
        }

        /// Its ID.
        public let id: PeerID
        /// Whether it is believed to be running: advertised, linked, or listed by a peer that is.
        public let isOnline: Bool
        /// The direct connection to it; `nil` if documents reach it only through other peers.
        public let link: Link?
        /// The sync with it: `stopped` without a link, with the error that prevents one.
        public let status: Sync.Status
        /// The peers to which it is linked, as far as known.
        public let neighbors: [PeerID]
        /// Its certificate; `nil` until TLS has verified it.
        public let certificate: Certificate?
        /// Whether its database names revisions in the same way; otherwise it is never linked.
        public let isCompatible: Bool
        /// Whether it subscribes to a part of the documents, or filters them: then it does not pass on all.
        public let isPartial: Bool

        init(_ peer: CouchbaseLiteSwift.Mesh.Peer) {
            id = PeerID(peer.id)
            isOnline = peer.isOnline
            link = peer.link.map { $0.isOutgoing ? .outgoing : .incoming }
            status = Sync.Status(peer.status, place: "peer \("\(peer.id)".prefix(8))")
            neighbors = peer.neighbors.map { PeerID($0) }
            certificate = peer.certificate.map { Certificate($0.certificate) }
            isCompatible = peer.isCompatible
            isPartial = peer.isPartial
        }
    }
}
