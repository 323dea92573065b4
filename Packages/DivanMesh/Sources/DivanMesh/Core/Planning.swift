/// From the plan to calls and closed links.
///
/// **Candidates.** The plan is made among members, because only they are known to run. A peer that does not answer
/// makes room for the next, but its call continues: a slow peer is late, and does not delay others. While its part of
/// the mesh is small, a peer also calls strangers. Real ones may be few among invented ones, so it calls twice as many
/// whenever none of those that it called last has answered within half a second.
///
/// **Make before break.** A link that neither end needs is closed when it has lived for ten seconds, when all links of
/// the plan have synced once, and when the peer at its other end is reached in another way. Until then its interest in
/// the link stays what it was, so that the other end does not close it either. So a change of plan never interrupts
/// the flow of documents, and a plan that changes back costs nothing.
extension MeshCore {
    /// Computes the plan, calls what is missing, and closes one link that is not needed.
    mutating func plan(at now: Duration) {
        membership.update(at: now)
        let isSmall = membership.peers.count(where: \.isMember) < MeshLimits.linkCount
        let candidates = candidates(at: now, withStrangers: isSmall)
        let hasStrangers = candidates.contains { membership[$0]?.isMember == false }
        adjustBreadth(hasStrangers: hasStrangers, at: now)
        let wanted = configuration.planner.links(
            of: configuration.peer,
            among: candidates,
            breadth: schedule.breadth
        )
        note(wanted, at: now)
        for link in wanted { callIfMissing(link, among: candidates, at: now) }
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
        let planned = Set(wanted.map(\.peer))
        for peer in membership.peers {
            let isWanted = planned.contains(peer.id)
            guard isWanted != (peer.wantedSince != nil) else { continue }
            membership.update(peer.id) { $0.wantedSince = isWanted ? now : nil }
        }
    }
}

// MARK: - Candidates

extension MeshCore {
    private mutating func candidates(at now: Duration, withStrangers: Bool) -> [MeshPeerID] {
        var candidates: [MeshPeerID] = []
        var failing: [MeshPeerID] = []
        for peer in membership.peers where isCallable(peer, at: now) {
            if peer.isLinked || isPromising(peer, at: now, withStrangers: withStrangers) {
                candidates.append(peer.id)
            } else if peer.presence != .offline, isReady(peer, at: now) {
                failing.append(peer.id)
            }
        }
        // In a small group there is no other choice than to try again.
        return candidates.count < MeshLimits.linkCount / 2 ? candidates + failing : candidates
    }

    /// Whether the peer speaks the same scheme, has a place, and is not to be left alone.
    mutating func isCallable(_ peer: KnownPeer, at now: Duration) -> Bool {
        guard isCompatible(peer) else { return false }
        if peer.isLinked { return true }
        let pause = max(peer.pausedUntil, peer.bannedUntil)
        if now < pause { schedule.wait(until: pause) }
        return now >= pause && !peer.places.isEmpty && !peer.hasLeft
    }

    func isCompatible(_ peer: KnownPeer) -> Bool {
        (peer.announcement?.scheme ?? configuration.scheme) == configuration.scheme
    }

    /// Whether a call is likely to succeed.
    private mutating func isPromising(
        _ peer: KnownPeer,
        at now: Duration,
        withStrangers: Bool
    ) -> Bool {
        guard peer.presence != .offline else { return false }
        let call = table.first { $0.peer == peer.id }
        if let call {
            let patience = call.startedAt + MeshTiming.patience
            guard now < patience else { return false }
            schedule.wait(until: patience)
        }
        if peer.isMember { return peer.failureCount < 3 || isReady(peer, at: now) }
        guard withStrangers, peer.failureCount == 0 else { return false }
        return call != nil || peer.place(at: now).map(mayCall) ?? false
    }

    /// Whether a place can be called now, and is not being called.
    private mutating func isReady(_ peer: KnownPeer, at now: Duration) -> Bool {
        guard let retryAt = peer.retryAt, !table.contains(where: { $0.peer == peer.id }) else {
            return false
        }
        if now < retryAt { schedule.wait(until: retryAt) }
        return now >= retryAt
    }
}

// MARK: - Calls

extension MeshCore {
    private mutating func callIfMissing(
        _ link: PlannedLink,
        among candidates: [MeshPeerID],
        at now: Duration
    ) {
        guard !table.contains(where: { $0.peer == link.peer }), hasRoom(for: link),
            let peer = membership[link.peer], let since = peer.wantedSince
        else { return }
        let turn = since + MeshTiming.secondCaller
        if now < turn, waitsForCall(of: peer.id, among: candidates) {
            schedule.wait(until: turn)
        } else {
            call(peer, for: .plan, at: now)
        }
    }

    /// Whether the link is in the plan of both peers, and the other one is the caller.
    private func waitsForCall(of peer: MeshPeerID, among candidates: [MeshPeerID]) -> Bool {
        guard peer.isCaller(of: configuration.peer), schedule.breadth == 1 else { return false }
        let others = candidates.filter { $0 != peer } + [configuration.peer]
        let theirs = configuration.planner.links(of: peer, among: others, breadth: 1)
        return theirs.contains { $0.peer == configuration.peer }
    }

    private func hasRoom(for link: PlannedLink) -> Bool {
        let open = table.count { $0.state.isOpen }
        guard open > 0 else { return true }
        if link.isEssential { return open < MeshLimits.linkCount + MeshLimits.extraLinkCount }
        // Of the calls of a wide plan, few are answered.
        let isWide = schedule.breadth > 1
        let called = isWide ? 0 : table.count { $0.state == .calling && $0.purpose == .plan }
        return open + called + reservedLinkCount < MeshLimits.linkCount
    }

    /// Calls the best place of a peer, unless it is linked or called, or there are too many calls.
    mutating func call(_ peer: KnownPeer, for purpose: Link.Purpose, at now: Duration) {
        guard !table.contains(where: { $0.peer == peer.id }) else { return }
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
        let open = table.filter(\.state.isOpen)
        let isComplete = wanted.allSatisfy { isSettled($0) }
        let surplus = open.count - MeshLimits.linkCount
        if surplus > MeshLimits.extraLinkCount || surplus > 0 && isComplete {
            let victims = open.filter { !$0.isEssential && isReplaceable($0) }
            // One that is not needed first, and of these the one with the highest hash.
            let victim = victims.max { rank($0) < rank($1) }
            if let victim { end(victim.connection, .full, at: now) }
            return
        }
        guard isComplete else { return }
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
        guard let link = table.first(where: { $0.peer == planned.peer }) else {
            return !hasRoom(for: planned)
        }
        return link.state == .settled
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
