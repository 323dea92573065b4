/// Which connections become links.
///
/// A peer accepts calls while it has room. Two places are reserved for links on which a plan depends, and one more
/// link than usual is accepted on which a plan depends, or which unites the mesh; the plan then closes another. A
/// refused caller is introduced to other peers, so that a newcomer that knows only one full peer still finds its way.
///
/// **Two connections of a pair.** If both peers call at the same time, both keep the connection of the caller of the
/// pair (`MeshPeerID.isCaller(of:)`). A connection that is older than any such race must be dead at the other end,
/// which would not have called otherwise; then the new one stays.
extension MeshCore {
    /// Accepts or refuses a call.
    mutating func answer(_ connection: MeshConnectionID, from peer: MeshPeerID, at now: Duration) {
        if let (end, pause) = refusal(of: peer, at: now) {
            let introduction = end == .full ? introduction(for: peer, at: now) : []
            effects.append(
                .refuse(connection, end, retryAfter: pause, introduction: introduction)
            )
            return
        }
        for link in table where link.peer == peer {
            // Its own call may be on the way, and is the one that both keep.
            guard link.state.isOpen || peer.isCaller(of: configuration.peer) else { continue }
            end(link.connection, .duplicate, at: now)
        }
        var link = Link(connection, acceptedFrom: peer, now)
        // Until it says more: it would not call otherwise.
        link.peerInterest = isEssential(peer) ? .essential : .wanted
        table.append(link)
        effects.append(.accept(connection))
        neighboursChanged(link, at: now)
        schedule.isNeeded = true
    }

    private func refusal(
        of peer: MeshPeerID,
        at now: Duration
    ) -> (end: LinkEnd, pause: Duration)? {
        if peer == configuration.peer { return (.itself, MeshTiming.offence) }
        if let known = membership[peer] {
            if !isCompatible(known) { return (.incompatible, MeshTiming.offence) }
            if now < known.bannedUntil { return (.offence, known.bannedUntil - now) }
        }
        if let open = table.first(where: { $0.peer == peer && $0.state.isOpen }) {
            let replaces = replaces(open, isOutgoing: false, at: now)
            return replaces ? nil : (.duplicate, MeshTiming.firstBackOff)
        }
        if hasRoom(forLinkTo: peer, at: now) { return nil }
        // A newcomer may have no one else to call, or may have been introduced to no one yet.
        let isMember = membership.isMember(peer)
        return (.full, isMember ? MeshTiming.refusal : MeshTiming.newcomerRefusal)
    }

    /// Whether a call that was accepted becomes a link; if not, closes it.
    mutating func keepsAnswered(_ link: Link, at now: Duration) -> Bool {
        guard let peer = link.peer else { return false }
        if let open = table.first(where: { $0.peer == peer && $0.state.isOpen }) {
            let isReplaced = replaces(open, isOutgoing: true, at: now)
            end(isReplaced ? open.connection : link.connection, .duplicate, at: now)
            return isReplaced
        }
        if hasRoom(forLinkTo: peer, at: now) { return true }
        end(link.connection, .full, at: now)
        return false
    }

    private func replaces(_ open: Link, isOutgoing: Bool, at now: Duration) -> Bool {
        guard let peer = open.peer, open.connection.isOutgoing != isOutgoing,
            now < open.startedAt + MeshTiming.call
        else { return true }
        let caller = configuration.peer.isCaller(of: peer)
        return caller == isOutgoing
    }

    private func hasRoom(forLinkTo peer: MeshPeerID, at now: Duration) -> Bool {
        if isLeaf(peer) { return hasRoom(forLeaf: peer) }
        let open = openCount
        guard open + reservedLinkCount >= MeshLimits.linkCount else { return true }
        guard open < MeshLimits.linkCount + MeshLimits.extraLinkCount else { return false }
        return isEssential(peer) || isLostPart(peer, at: now)
    }

    /// Whether a partial peer may link to this relay: half of the places are for those that have no other relay.
    private func hasRoom(forLeaf peer: MeshPeerID) -> Bool {
        let leaves = table.filter { $0.state.isOpen && isLeaf($0) }
        guard !membership.isLinkedToRelay(peer) else {
            return leaves.count < MeshLimits.leafCount / 2
        }
        guard leaves.count == MeshLimits.leafCount else {
            return leaves.count < MeshLimits.leafCount
        }
        // The plan then closes the link to a peer that has another relay.
        return leaves.contains { !$0.isEssential }
    }

    /// Places that are reserved for links on which a plan depends and that are not open yet.
    var reservedLinkCount: Int {
        let count = table.count { $0.state.isOpen && $0.isEssential && !isLeaf($0) }
        return max(MeshLimits.reservedLinkCount - count, 0)
    }

    /// Whether the plan of either end depends on the link.
    private func isEssential(_ peer: MeshPeerID) -> Bool {
        let isPartial = membership[peer]?.isPartial ?? false
        guard isPartial == configuration.isPartial else {
            return isPartial ? !membership.isLinkedToRelay(peer) : linkedRelays.isEmpty
        }
        var members: [MeshPeerID] = []
        for index in membership.peers.indices where membership.peers[index].isMember {
            guard membership.ids[index] != peer, isPartial || !membership.peers[index].isPartial
            else { continue }
            members.append(membership.ids[index])
        }
        let planner = configuration.planner
        let own = planner.link(from: configuration.peer, to: peer, among: members + [peer])
        if own?.isEssential ?? false { return true }
        let theirs = planner.link(
            from: peer,
            to: configuration.peer,
            among: members + [configuration.peer]
        )
        return theirs?.isEssential ?? false
    }

    /// Whether the peer belongs to another part of the mesh.
    private func isLostPart(_ peer: MeshPeerID, at now: Duration) -> Bool {
        guard let since = membership[peer]?.outsideSince else { return false }
        return now >= since + MeshTiming.repair
    }
}
