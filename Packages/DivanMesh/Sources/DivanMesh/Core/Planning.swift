/// From the plan to calls and closed links.
///
/// **Candidates.** The plan is made among members, because only they are known to run. A peer that does not answer
/// makes room for the next, but its call continues: a slow peer is late, and does not delay others. While its part of
/// the mesh is small, a peer also calls strangers. Real ones may be few among invented ones, so it calls twice as many
/// whenever none of those that it called last has answered within half a second.
///
/// **Relays.** A partial peer has only a part of the documents, so others cannot rely on it to pass them on. Peers that
/// carry everything, the relays, plan among themselves, as if the partial ones did not exist: their links connect all of
/// them. A partial peer links to two relays of its own choice. It links to other partial ones only if no relay is a
/// member or has room, and documents may then wait until one has. A relay has places for partial peers in addition to its
/// other links, and keeps half of them for peers that have no other relay.
///
/// **Make before break.** A link that neither end needs is closed when it has lived for ten seconds, when all links of
/// the plan have synced once, and when the peer at its other end is reached in another way. Until then its interest in
/// the link stays what it was, so that the other end does not close it either. So a change of plan never interrupts
/// the flow of documents, and a plan that changes back costs nothing.
extension MeshCore {
    /// Computes the plan, calls what is missing, and closes one link that is not needed.
    mutating func plan(at now: Duration) {
        membership.update(at: now)
        let isSmall = membership.memberCount < MeshLimits.linkCount
        let candidates = candidates(at: now, withStrangers: isSmall)
        adjustBreadth(hasStrangers: candidates.hasStrangers, at: now)
        let planned = plans.links(among: candidates, breadth: schedule.breadth, membership)
        let wanted = plans.isLeaf ? leafLinks(planned) : planned
        note(wanted, at: now)
        for link in wanted { callIfMissing(link, at: now) }
        callSeeds(at: now)
        repair(at: now)
        closeOneLink(wanted, at: now)
    }

    /// Widens the plan if no call was answered, and lets the oldest calls make place for others.
    private mutating func adjustBreadth(hasStrangers: Bool, at now: Duration) {
        guard hasStrangers else { return schedule.narrow() }
        let calls = table.filter { $0.state == .calling && $0.purpose == .plan }
        if let youngest = calls.map(\.startedAt).max() {
            let end = youngest + MeshTiming.haste
            guard now >= end else { return schedule.wait(until: end) }
        }
        schedule.widen(pendingCount: calls.count)
        guard calls.count >= MeshLimits.callCount else { return }
        for call in calls where now >= call.startedAt + MeshTiming.patience {
            end(call.connection, .silent, event: .overdue, at: now)
        }
    }

    private mutating func note(_ wanted: [PlannedLink], at now: Duration) {
        let isComplete = wanted.allSatisfy { isSettled($0) }
        for index in table.indices {
            if let planned = wanted.first(where: { $0.peer == table[index].peer }) {
                table[index].interest = planned.isEssential ? .essential : .wanted
            } else if isComplete {
                table[index].interest = .none
            }
        }
        membership.want(wanted, at: now)
    }
}

// MARK: - Candidates

/// The peers among which a plan is made.
struct PlanCandidates: Sendable {
    var peers: [MeshPeerID] = []
    /// Whether some of them are no members.
    var hasStrangers = false
    /// Whether partial peers are left out.
    var areRelays = false
}

extension MeshCore {
    private mutating func candidates(
        at now: Duration,
        withStrangers: Bool
    ) -> PlanCandidates {
        var (candidates, failing): ([Int], [Int]) = ([], [])
        let links = linkPlaces()
        for index in membership.peers.indices where isCallable(index, at: now) {
            let link = links[index]
            if membership.peers[index].isLinked
                || isPromising(index, called: link, at: now, withStrangers: withStrangers)
            {
                candidates.append(index)
            } else if membership.peers[index].presence != .offline, link == nil,
                isReady(index, at: now)
            {
                failing.append(index)
            }
        }
        // In a small group there is no other choice than to try again.
        if candidates.count < MeshLimits.linkCount / 2 { candidates += failing }
        var result = PlanCandidates()
        // Only a member is certain to exist: relays that were made up must not displace real peers.
        result.areRelays = candidates.contains { index in
            membership.peers[index].isMember && !membership.peers[index].isPartial
        }
        result.peers.reserveCapacity(candidates.count)
        for index in candidates where !(result.areRelays && membership.peers[index].isPartial) {
            result.peers.append(membership.ids[index])
            if !membership.peers[index].isMember { result.hasStrangers = true }
        }
        return result
    }

    /// For each known peer, where the link to it, or the call to it, is in the table.
    private func linkPlaces() -> [Int?] {
        var places = [Int?](repeating: nil, count: membership.peers.count)
        for index in table.indices.reversed() {
            guard let peer = table[index].peer, let place = membership.place(of: peer) else {
                continue
            }
            places[place] = index
        }
        return places
    }

    /// Whether the peer speaks the same scheme, has a place, and is not to be left alone.
    mutating func isCallable(_ index: Int, at now: Duration) -> Bool {
        guard isCompatible(membership.peers[index]) else { return false }
        if membership.peers[index].isLinked { return true }
        let pause = max(membership.peers[index].pausedUntil, membership.peers[index].bannedUntil)
        if now < pause { schedule.wait(until: pause) }
        return now >= pause && !membership.peers[index].places.isEmpty
            && !membership.peers[index].hasLeft
    }

    func isCompatible(_ peer: KnownPeer) -> Bool {
        (peer.announcement?.scheme ?? configuration.scheme) == configuration.scheme
    }

    /// Whether a call is likely to succeed.
    private mutating func isPromising(
        _ index: Int,
        called call: Int?,
        at now: Duration,
        withStrangers: Bool
    ) -> Bool {
        guard membership.peers[index].presence != .offline else { return false }
        if let call {
            let patience = table[call].startedAt + MeshTiming.patience
            guard now < patience else { return false }
            schedule.wait(until: patience)
        }
        let failureCount = membership.peers[index].failureCount
        if membership.peers[index].isMember {
            return failureCount < 3 || call == nil && isReady(index, at: now)
        }
        guard withStrangers, failureCount == 0 else { return false }
        return call != nil || membership.peers[index].place(at: now).map(mayCall) ?? false
    }

    /// Whether a place of a peer that is not being called can be called now.
    private mutating func isReady(_ index: Int, at now: Duration) -> Bool {
        guard let retryAt = membership.peers[index].retryAt else { return false }
        if now < retryAt { schedule.wait(until: retryAt) }
        return now >= retryAt
    }
}

// MARK: - Relays

extension MeshCore {
    /// The peers that carry everything and to which there is an open link.
    var linkedRelays: [MeshPeerID] {
        table.compactMap { link in
            guard link.state.isOpen, let peer = link.peer, membership[peer]?.isPartial == false
            else { return nil }
            return peer
        }
    }

    /// The links of a partial peer: to the relays that it has, which may be full for others, then to those of its plan.
    ///
    /// It depends on the first one only, so that it leaves room for others.
    private func leafLinks(_ planned: [PlannedLink]) -> [PlannedLink] {
        let kept = linkedRelays.prefix(Self.leafLinkCount)
        let others = planned.map(\.peer).filter { !kept.contains($0) }
        let count = max(Self.leafLinkCount * schedule.breadth, kept.count)
        return (kept + others).prefix(count).enumerated().map { place, peer in
            PlannedLink(peer, isEssential: place == 0)
        }
    }

    /// Links of a partial peer to relays: one may fail.
    private static let leafLinkCount = 2

    /// Whether this peer is a relay, and the other one is partial.
    func isLeaf(_ peer: MeshPeerID) -> Bool {
        !configuration.isPartial && membership[peer]?.isPartial ?? false
    }

    func isLeaf(_ link: Link) -> Bool { link.peer.map(isLeaf) ?? false }

    /// The link to close if too many partial peers are linked to this relay: to one that has another relay, if any.
    private var surplusLeaf: Link? {
        let leaves = table.filter { $0.state.isOpen && isLeaf($0) }
        guard leaves.count > MeshLimits.leafCount else { return nil }
        return leaves.max {
            ($0.isEssential ? 0 : 1, rank($0).1) < ($1.isEssential ? 0 : 1, rank($1).1)
        }
    }
}

// MARK: - Calls

extension MeshCore {
    private mutating func callIfMissing(_ link: PlannedLink, at now: Duration) {
        guard place(ofLinkTo: link.peer) == nil, hasRoom(for: link),
            let peer = membership[link.peer], let since = peer.wantedSince
        else { return }
        let turn = since + MeshTiming.secondCaller
        if now < turn, waitsForCall(of: peer.id) {
            schedule.wait(until: turn)
        } else {
            call(peer, for: .plan, at: now)
        }
    }

    /// Whether the link is in the plan of both peers, and the other one is the caller.
    private mutating func waitsForCall(of peer: MeshPeerID) -> Bool {
        guard peer.isCaller(of: configuration.peer), schedule.breadth == 1 else { return false }
        return plans.isWanted(by: peer)
    }

    private func hasRoom(for link: PlannedLink) -> Bool {
        let open = openCount
        guard open > 0 else { return true }
        if link.isEssential { return open < MeshLimits.linkCount + MeshLimits.extraLinkCount }
        // Of the calls of a wide plan, few are answered.
        let isWide = schedule.breadth > 1
        let called = isWide ? 0 : table.count { $0.state == .calling && $0.purpose == .plan }
        return open + called + reservedLinkCount < MeshLimits.linkCount
    }

    /// Calls the best place of a peer, unless it is linked or called, or there are too many calls.
    mutating func call(_ peer: KnownPeer, for purpose: Link.Purpose, at now: Duration) {
        guard place(ofLinkTo: peer.id) == nil else { return }
        guard let address = peer.place(at: now) else {
            if let retryAt = peer.retryAt { schedule.wait(until: retryAt) }
            return
        }
        guard mayCall(address) else { return }
        call(peer.id, at: address, for: purpose, now)
    }

    func mayCall(_ address: MeshAddress) -> Bool {
        let calls = table.filter { $0.state == .calling }
        return calls.count < MeshLimits.callCount
            && calls.count { $0.address?.host == address.host } < MeshLimits.callsPerHostCount
            && !calls.contains { $0.address == address }
    }
}

// MARK: - Closing

extension MeshCore {
    private mutating func closeOneLink(_ wanted: [PlannedLink], at now: Duration) {
        if let surplusLeaf { return end(surplusLeaf.connection, .full, at: now) }
        let isComplete = wanted.allSatisfy { isSettled($0) }
        let surplus = openCount - MeshLimits.linkCount
        guard isComplete || surplus > MeshLimits.extraLinkCount else { return }
        let open = table.filter(\.state.isOpen)
        if surplus > MeshLimits.extraLinkCount || surplus > 0 && isComplete {
            let victims = open.filter { !$0.isEssential && !isLeaf($0) && isReplaceable($0) }
            // One that is not needed first, and of these the one with the highest hash.
            let victim = victims.max { rank($0) < rank($1) }
            if let victim { end(victim.connection, .full, at: now) }
            return
        }
        if !wanted.isEmpty { dismissCalls(except: wanted, at: now) }
        var victim: Link?
        for link in open where !link.isNeeded {
            let end = link.startedAt + MeshTiming.shortestLink
            if now < end {
                schedule.wait(until: end)
            } else if isReplaceable(link), victim.map({ rank($0) < rank(link) }) ?? true {
                victim = link
            }
        }
        if let victim { end(victim.connection, .unneeded, at: now) }
    }

    /// Whether a link of the plan is open and has synced, or cannot be opened now.
    private func isSettled(_ planned: PlannedLink) -> Bool {
        guard let index = place(ofLinkTo: planned.peer) else { return !hasRoom(for: planned) }
        return table[index].state == .settled
    }

    private mutating func dismissCalls(except wanted: [PlannedLink], at now: Duration) {
        for link in table where link.state == .calling && link.purpose == .plan {
            guard !wanted.contains(where: { $0.peer == link.peer }) else { continue }
            end(link.connection, .unneeded, at: now)
        }
    }

    private func isReplaceable(_ link: Link) -> Bool {
        link.peer.map { membership.isReached(withoutLinkTo: $0) } ?? true
    }

    private func rank(_ link: Link) -> (Int, UInt64) {
        (link.isNeeded ? 0 : 1, link.peer.flatMap { membership[$0]?.pairHash } ?? .max)
    }
}
