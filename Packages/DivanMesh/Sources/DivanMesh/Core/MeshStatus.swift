/// The status of a link, for programs and people.
public struct MeshLinkStatus: Hashable, Sendable {
    /// Why the link exists.
    public enum Reason: String, Sendable {
        /// A plan depends on it: the next peer on the ring.
        case ring
        /// A plan contains it: one of the lowest pair hashes.
        case hash
        /// It unites parts of the mesh.
        case bridge
        /// It was called because its address is a seed.
        case seed
        /// Neither end needs it any more; it closes soon.
        case surplus
    }

    /// The connection.
    public let connection: MeshConnectionID
    /// The peer at the other end; `nil` while a seed has not answered.
    public let peer: MeshPeerID?
    /// The address that was called; `nil` for an incoming connection.
    public let address: MeshAddress?
    /// Whether it is open, as opposed to being called.
    public let isOpen: Bool
    /// Why it exists.
    public let reason: Reason
}

/// The status of a peer, for programs and people.
public struct MeshPeerStatus: Hashable, Sendable {
    /// The peer.
    public let peer: MeshPeerID
    /// Whether it is believed to be running: advertised, linked, or listed by such a peer.
    public let isOnline: Bool
    /// Whether there is an open link to it.
    public let isLinked: Bool
    /// Whether it belongs to the same part of the mesh.
    public let isMember: Bool
    /// Whether its revision scheme is the same; otherwise it is never linked.
    public let isCompatible: Bool
    /// The known peers that it lists as its neighbours.
    public let neighbours: [MeshPeerID]
    /// Whether it subscribes to a part of the documents, or filters them, and so cannot carry all to others.
    public let isPartial: Bool
    /// Consecutive failed calls, at the address with the fewest.
    public let failureCount: Int
}

extension MeshCore {
    /// The links and calls, the oldest first.
    public var links: [MeshLinkStatus] {
        table.map { link in
            MeshLinkStatus(
                connection: link.connection,
                peer: link.peer,
                address: link.address,
                isOpen: link.state.isOpen,
                reason: link.reason
            )
        }
    }

    /// The peers that are known, without this one, in the order of their IDs.
    public var peers: [MeshPeerStatus] { membership.peers.map(status) }

    /// A peer, if it is known.
    public func peer(_ id: MeshPeerID) -> MeshPeerStatus? {
        membership.place(of: id).map { status(of: membership.peers[$0]) }
    }

    private func status(of peer: KnownPeer) -> MeshPeerStatus {
        let neighbours = peer.announcement?.neighbours ?? []
        let own = configuration.peer
        return MeshPeerStatus(
            peer: peer.id,
            isOnline: peer.presence.isOnline,
            isLinked: peer.isLinked,
            isMember: peer.isMember,
            isCompatible: isCompatible(peer),
            neighbours: neighbours.compactMap { $0 == own.prefix ? own : membership.peer($0) },
            isPartial: peer.isPartial,
            failureCount: peer.failureCount
        )
    }
}

extension Link {
    fileprivate var reason: MeshLinkStatus.Reason {
        switch (isEssential, isNeeded, purpose) {
        case (true, _, _): .ring
        case (false, true, _): .hash
        case (false, false, .repair): .bridge
        case (false, false, .seed): .seed
        case (false, false, .plan): state == .calling ? .hash : .surplus
        case (false, false, .incoming): .surplus
        }
    }
}
