internal import DivanCrypto

/// Uniting what has fallen apart: strangers and seeds are called.
///
/// Every peer sees which peers are not members of its part. Normally it is one peer's turn to call a stranger: the
/// member with the lowest hash of the pair is the first, each other waits a second longer, and checks again whether
/// the call is still necessary. Of many strangers, a peer checks only those with the lowest pair hashes, for which it
/// is probably the first. A stranger that did not answer is called again, after longer and longer waits, but is not
/// forgotten: the mesh may be cut in two, and no peer reports when that is over. Each peer has one such call at a
/// time, so strangers that do not exist cost a call now and then, and nothing else.
///
/// One link is enough: over it the parts learn each other's members, forget their failures, and plan together.
extension MeshCore {
    /// Calls a stranger, if it is this peer's turn.
    mutating func repair(at now: Duration) {
        let isBusy = table.contains { $0.state == .calling && $0.purpose == .repair }
        let open = table.count { $0.state.isOpen }
        guard !isBusy, open < MeshLimits.linkCount + MeshLimits.extraLinkCount else { return }
        var untried: [KnownPeer] = []
        var failed: KnownPeer?
        for peer in membership.peers {
            guard let since = peer.outsideSince, isCallable(peer, at: now),
                !table.contains(where: { $0.peer == peer.id }), let retryAt = peer.retryAt
            else { continue }
            if case .doubted(let since) = peer.presence, now < since + MeshTiming.doubt {
                schedule.wait(until: since + MeshTiming.doubt)
            }
            let due = max(since + MeshTiming.repair, retryAt)
            if now < due {
                schedule.wait(until: due)
            } else if peer.failureCount == 0 {
                untried.append(peer)
            } else if failed.map({ retryAt < $0.retryAt ?? .zero }) ?? true {
                failed = peer
            }
        }
        // The lower the hash with this peer, the more likely it is its turn.
        untried.sort { $0.pairHash < $1.pairHash }
        let likely = untried.prefix(Self.comparedStrangers)
        if let first = likely.first(where: { isTurn(toCall: $0, at: now) }) {
            call(first, for: .repair, at: now)
        } else if let failed {
            call(failed, for: .repair, at: now)
        }
    }

    /// Strangers whose turn is computed in one plan, at the cost of a hash for each member.
    private static let comparedStrangers = 4

    /// Whether all members that come before this peer have had their time.
    private mutating func isTurn(toCall peer: KnownPeer, at now: Duration) -> Bool {
        guard let since = peer.outsideSince else { return false }
        let rank = membership.peers.count {
            $0.isMember && $0.id.pairHash(with: peer.id) < peer.pairHash
        }
        let turn = since + MeshTiming.repair + MeshTiming.repairStep * rank
        if now < turn { schedule.wait(until: turn) }
        return now >= turn
    }
}

// MARK: - Seeds

/// An address that the application knows.
struct Seed: Sendable {
    let address: MeshAddress
    /// The peer that was found there.
    var peer: MeshPeerID?
    var backOff = BackOff()

    init(_ address: MeshAddress) {
        self.address = address
    }
}

extension MeshCore {
    /// Calls the seeds whose peers are not members.
    mutating func callSeeds(at now: Duration) {
        for seed in seeds where !isFound(seed) {
            guard seed.backOff.isReady(at: now) else {
                schedule.wait(until: seed.backOff.retryAt)
                continue
            }
            guard mayCall(seed.address) else { continue }
            call(nil, at: seed.address, for: .seed, now)
        }
    }

    private func isFound(_ seed: Seed) -> Bool {
        guard let peer = seed.peer else { return false }
        return peer == configuration.peer || membership[peer]?.isMember ?? false
    }

    /// Records which peer was found at a seed's address.
    mutating func noteSeed(_ link: Link) {
        for index in seeds.indices where seeds[index].address == link.address {
            seeds[index].peer = link.peer
        }
    }

    /// Changes when the seed that a link called can be called again.
    mutating func updateSeed(_ link: Link, _ change: (inout BackOff, any RandomSource) -> Void) {
        for index in seeds.indices where seeds[index].address == link.address {
            change(&seeds[index].backOff, configuration.random)
        }
    }
}
