/// Sending and receiving of gossip.
///
/// A message contains the sender, then the members that have changed since the last message on this link, then, if it
/// is a heartbeat, a few others in turn. Strangers are not passed on: what one peer made up reaches its neighbours at
/// most. News that came from a peer is not sent back to it.
extension MeshCore {
    /// Sends what is due on each link.
    mutating func sendGossip(at now: Duration) {
        for index in table.indices where table[index].state.isOpen {
            let news = GossipSchedule.PeerReport(
                counter: announcement.published.counter,
                interest: table[index].interest,
                change: membership.changeCount
            )
            var due = table[index].gossip.dueAt(news)
            if now >= due {
                send(news, on: index, at: now)
                due = table[index].gossip.dueAt(news)
            }
            alarm.ring(at: due)
        }
    }

    private mutating func send(_ news: GossipSchedule.PeerReport, on index: Int, at now: Duration) {
        let link = table[index]
        guard let peer = link.peer else { return }
        var message = GossipWriter(
            from: announcement.encodedRecord(),
            link.interest,
            link.gossip.number
        )
        contradict(peer, in: &message)
        var report = news
        report.change = append(
            changesAfter: link.gossip.lastReport?.change ?? 0,
            for: peer,
            to: &message,
            now
        )
        let isHeartbeat = link.gossip.isHeartbeatDue(at: now)
        if isHeartbeat { repeatRecords(on: index, in: &message, now) }
        let isNews =
            report.counter != link.gossip.lastReport?.counter
            || report.interest != link.gossip.lastReport?.interest || message.recordCount > 1
        guard isNews || isHeartbeat else { return table[index].gossip.skip(through: report.change) }
        table[index].gossip.sent(report, at: now)
        effects.append(.send(link.connection, message.bytes))
    }

    /// Appends what has changed, in the order of the changes; returns the last change that was told.
    private mutating func append(
        changesAfter told: UInt64,
        for peer: MeshPeerID,
        to message: inout GossipWriter,
        _ now: Duration
    ) -> UInt64 {
        var last = told
        for place in membership.places(changedAfter: told) {
            guard membership.peers[place].changedBy != peer, membership.ids[place] != peer else {
                continue
            }
            guard append(place, to: &message, now) else { return last }
            last = membership.peers[place].change
        }
        return membership.changeCount
    }

    /// Appends a peer, if others should know it; returns false if the message is full.
    private mutating func append(
        _ place: Int,
        to message: inout GossipWriter,
        _ now: Duration
    ) -> Bool {
        guard membership.peers[place].isMember || membership.peers[place].presence == .offline,
            let record = membership.record(of: place, at: now)
        else {
            return true
        }
        return message.append(record)
    }

    /// Appends some peers, beginning after those of the last heartbeat.
    private mutating func repeatRecords(
        on index: Int,
        in message: inout GossipWriter,
        _ now: Duration
    ) {
        let peer = table[index].peer
        var repeated = 0
        for place in places(after: table[index].gossip.repeatedThrough) {
            guard membership.peers[place].isMember, membership.ids[place] != peer else { continue }
            guard repeated < MeshLimits.repeatedRecordCount, append(place, to: &message, now)
            else { return }
            repeated += 1
            table[index].gossip.repeatedThrough = membership.ids[place]
        }
    }

    /// The places of all peers, beginning after one; the first ones follow the last.
    private func places(after peer: MeshPeerID?) -> some Sequence<Int> {
        let count = membership.peers.count
        let start = peer.map { membership.firstPlace(from: $0) } ?? 0
        let skipped = start < count && membership.ids[start] == peer ? 1 : 0
        return (0..<count).lazy.map { (start + skipped + $0) % count }
    }

    /// Tells a peer what others say of it that is not true, so that it announces itself again.
    private mutating func contradict(_ peer: MeshPeerID, in message: inout GossipWriter) {
        guard let place = membership.place(of: peer),
            let contested = membership.peers[place].contested,
            var claim = membership.peers[place].announcement
        else { return }
        claim.counter = contested
        _ = message.append(EncodedRecord(GossipMessage.Record(claim)))
        membership.update(peer) { $0.contested = nil }
    }

    /// A message with members, for a peer that is refused.
    mutating func introduction(for peer: MeshPeerID, at now: Duration) -> [UInt8] {
        let number = MeshCounter(rawValue: 0)
        var message = GossipWriter(from: announcement.encodedRecord(), .none, number)
        // Beginning with those that follow the peer: among them are its neighbours on the ring.
        for place in places(after: peer) {
            guard membership.peers[place].isMember, membership.ids[place] != peer else { continue }
            guard append(place, to: &message, now) else { break }
        }
        return message.bytes
    }
}

// MARK: - Receiving

extension MeshCore {
    /// Reads a message of a link.
    mutating func receive(_ bytes: [UInt8], on connection: MeshConnectionID, at now: Duration) {
        guard let index = place(of: connection), table[index].state.isOpen,
            let peer = table[index].peer
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
        if let place = membership.place(of: peer), !isCompatible(membership.peers[place]) {
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
