/// Sending and receiving of gossip.
///
/// A message contains the sender, then the members that have changed since the last message on this link, then, if it
/// is a heartbeat, a few others in turn. Strangers are not passed on: what one peer made up reaches its neighbours at
/// most. News that came from a peer is not sent back to it.
extension MeshCore {
    /// Sends what is due on each link.
    mutating func sendGossip(at now: Duration) {
        for index in table.indices where table[index].state.isOpen {
            let news = GossipSchedule.Told(
                counter: announcement.published.counter,
                interest: table[index].interest,
                change: membership.changeCount
            )
            if now >= table[index].gossip.dueAt(news) { send(news, on: index, at: now) }
            alarm.ring(at: table[index].gossip.dueAt(news))
        }
    }

    private mutating func send(_ news: GossipSchedule.Told, on index: Int, at now: Duration) {
        let link = table[index]
        guard let peer = link.peer else { return }
        var message = GossipMessage(
            from: announcement.record,
            interest: link.interest,
            number: link.gossip.number
        )
        contradict(peer, in: &message)
        var told = news
        told.change = append(
            changesAfter: link.gossip.told?.change ?? 0,
            for: peer,
            to: &message,
            now
        )
        let isHeartbeat = link.gossip.isHeartbeatDue(at: now)
        if isHeartbeat { repeatRecords(on: index, in: &message, now) }
        let isNews =
            told.counter != link.gossip.told?.counter
            || told.interest != link.gossip.told?.interest || message.records.count > 1
        guard isNews || isHeartbeat else { return table[index].gossip.skip(through: told.change) }
        table[index].gossip.sent(told, at: now)
        effects.append(.send(link.connection, message.bytes))
    }

    /// Appends what has changed, in the order of the changes; returns the last change that was told.
    private func append(
        changesAfter told: UInt64,
        for peer: MeshPeerID,
        to message: inout GossipMessage,
        _ now: Duration
    ) -> UInt64 {
        let changed = membership.peers.filter {
            $0.change > told && $0.changedBy != peer && $0.id != peer
        }
        var last = told
        for known in changed.sorted(by: { $0.change < $1.change }) {
            guard append(known, to: &message, now) else { return last }
            last = known.change
        }
        return membership.changeCount
    }

    /// Appends a peer, if others should know it; returns false if the message is full.
    private func append(
        _ known: KnownPeer,
        to message: inout GossipMessage,
        _ now: Duration
    ) -> Bool {
        guard known.isMember || known.presence == .offline, let record = known.record(at: now)
        else {
            return true
        }
        return message.append(record)
    }

    /// Appends some peers, beginning after those of the last heartbeat.
    private mutating func repeatRecords(
        on index: Int,
        in message: inout GossipMessage,
        _ now: Duration
    ) {
        let through = table[index].gossip.repeatedThrough
        let peers = membership.peers.filter { $0.isMember && $0.id != table[index].peer }
        let start = peers.firstIndex { known in through.map { known.id > $0 } ?? true } ?? 0
        for known in (peers[start...] + peers[..<start]).prefix(MeshLimits.repeatedRecordCount) {
            guard append(known, to: &message, now) else { return }
            table[index].gossip.repeatedThrough = known.id
        }
    }

    /// Tells a peer what others say of it that is not true, so that it announces itself again.
    private mutating func contradict(_ peer: MeshPeerID, in message: inout GossipMessage) {
        guard let known = membership[peer], let contested = known.contested,
            var claim = known.announcement
        else { return }
        claim.counter = contested
        _ = message.append(GossipMessage.Record(claim))
        membership.update(peer) { $0.contested = nil }
    }

    /// A message with members, for a peer that is refused.
    func introduction(for peer: MeshPeerID, at now: Duration) -> [UInt8] {
        var message = GossipMessage(from: announcement.record, number: MeshCounter(rawValue: 0))
        let members = membership.peers.filter { $0.isMember && $0.id != peer }
        // Beginning with those that follow the peer: among them are its neighbours on the ring.
        let start = members.firstIndex { $0.id > peer } ?? 0
        for known in members[start...] + members[..<start] {
            guard append(known, to: &message, now) else { break }
        }
        return message.bytes
    }
}

// MARK: - Receiving

extension MeshCore {
    /// Reads a message of a link.
    mutating func receive(_ bytes: [UInt8], on connection: MeshConnectionID, at now: Duration) {
        guard let index = table.firstIndex(where: { $0.connection == connection }),
            table[index].state.isOpen, let peer = table[index].peer
        else { return }
        guard table[index].gossip.arrives(at: now),
            let message = try? GossipMessage(reading: bytes, from: peer)
        else { return offends(connection, peer, at: now) }
        guard table[index].gossip.isNewest(message.number) else { return }
        if table[index].peerInterest != message.interest {
            table[index].peerInterest = message.interest
            schedule.isNeeded = true
        }
        if message.records.first?.condition == .left {
            end(connection, .goodbye, event: .parted, at: now)
        }
        read(message, from: peer, at: now)
        if membership[peer].map({ !isCompatible($0) }) ?? false {
            end(connection, .incompatible, at: now)
        }
    }

    /// Reads the message of a peer that refused a call.
    mutating func readIntroduction(_ bytes: [UInt8], from peer: MeshPeerID, at now: Duration) {
        guard let message = try? GossipMessage(reading: bytes, from: peer) else { return }
        read(message, from: peer, at: now)
    }

    private mutating func read(_ message: GossipMessage, from peer: MeshPeerID, at now: Duration) {
        for record in message.records {
            if record.announcement.peer == configuration.peer {
                let isTrue =
                    record.condition == .running
                    && record.announcement == announcement.published
                if !isTrue { announcement.refute(record.announcement.counter) }
            } else if membership.heard(record, from: peer, at: now) {
                schedule.isNeeded = true
            }
        }
    }

    private mutating func offends(
        _ connection: MeshConnectionID,
        _ peer: MeshPeerID,
        at now: Duration
    ) {
        membership.update(peer) { $0.bannedUntil = now + MeshTiming.offence }
        end(connection, .offence, at: now)
    }
}
