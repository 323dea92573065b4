import DivanMesh

/// Replication on the links of a simulated mesh: continuous, in both directions, of documents without content.
///
/// A transfer takes three messages, as in the protocol: changes, the request for those that are missing, revisions. At
/// one time one transfer is on the way in each direction of a link. If the network is cut, it is repeated each second
/// until it arrives or the link ends, as TCP does. All links of a peer share what is in flight to it: a list with such
/// documents is answered when their transfer has ended, or after two seconds.
extension SimulatedMesh {
    /// Saves new documents at a peer.
    @discardableResult
    func save(_ count: Int = 1, at peer: SimulatedPeer) -> DocumentSet {
        let documents = DocumentSet(savedCount..<savedCount + count)
        savedCount += count
        peer.documents.formUnion(documents)
        pushOnAllLinks(of: peer.address)
        return documents
    }

    /// Whether all peers have the same documents, and these are all that `expected` contains at least.
    func isEqual(with expected: DocumentSet = DocumentSet()) -> Bool {
        guard let first = peers.first?.documents else { return true }
        return peers.allSatisfy { $0.documents == first } && first.isSuperset(of: expected)
    }

    /// Whether everything that a peer has was sent on all its links, of which there is at least one.
    func isPushed(_ peer: SimulatedPeer) -> Bool {
        let links = openWires(of: peer.address)
        return !links.isEmpty
            && links.allSatisfy { link in
                link.wire.ends[link.side].known.isSuperset(of: peer.documents)
            }
    }

    /// Starts replication on a link that was just opened.
    func startReplication(on wire: SimulatedWire) {
        rounds.opened(ObjectIdentifier(wire))
        after(random(conditions.syncing)) { mesh in
            wire.isReady = true
            mesh.push(on: wire, from: 0)
            mesh.push(on: wire, from: 1)
            mesh.noteIdle(wire)
        }
    }

    private func documents(at address: MeshAddress) -> DocumentSet {
        (actors[address] as? SimulatedPeer)?.documents ?? DocumentSet()
    }

    /// What a peer has for another, which gets only the documents to which it has subscribed.
    private func documents(at source: MeshAddress, for target: MeshAddress) -> DocumentSet {
        let documents = documents(at: source)
        let subscription = (actors[target] as? SimulatedPeer)?.subscription
        return subscription.map { documents.intersection($0) } ?? documents
    }

    private func pushOnAllLinks(of address: MeshAddress) {
        for link in openWires(of: address) { push(on: link.wire, from: link.side) }
    }

    private func push(on wire: SimulatedWire, from side: Int) {
        guard wire.isOpen, wire.isReady, !wire.ends[side].isSending else { return }
        let (source, target) = (wire.ends[side].address, wire.ends[1 - side].address)
        let news = documents(at: source, for: target).subtracting(wire.ends[side].known)
        guard !news.isEmpty else { return }
        wire.ends[side].isSending = true
        rounds.sends(ObjectIdentifier(wire))
        let list = news.prefix(conditions.listCount)
        after(random(conditions.latency)) { $0.offer(list, on: wire, from: side) }
    }

    /// A list arrives.
    private func offer(_ news: DocumentSet, on wire: SimulatedWire, from side: Int) {
        guard wire.isOpen, actors[wire.ends[side].address] != nil else { return }
        guard isReachable(wire.ends[side].address, wire.ends[1 - side].address) else {
            return after(1_000) { $0.offer(news, on: wire, from: side) }
        }
        wire.ends[side].offer = (news, now + .seconds(2))
        after(2_000) { $0.answerOffer(on: wire, from: side) }
        answerOffer(on: wire, from: side)
    }

    /// Answers a list, unless some of its documents are in flight from another peer.
    private func answerOffer(on wire: SimulatedWire, from side: Int) {
        guard wire.isOpen, let offer = wire.ends[side].offer,
            let peer = actors[wire.ends[1 - side].address] as? SimulatedPeer
        else { return }
        let missing = offer.documents.subtracting(peer.documents)
        guard now >= offer.deadline || missing.intersection(peer.inFlight).isEmpty else { return }
        wire.ends[side].offer = nil
        peer.inFlight.formUnion(missing)
        let delay = (0..<2).reduce(0) { sum, _ in sum + random(conditions.latency) }
        after(delay) { $0.arrive(offer.documents, missing, on: wire, from: side) }
    }

    /// The requested documents of a list arrive; the other ones were known.
    private func arrive(
        _ news: DocumentSet,
        _ requested: DocumentSet,
        on wire: SimulatedWire,
        from side: Int
    ) {
        let (source, target) = (wire.ends[side].address, wire.ends[1 - side].address)
        let peer = actors[target] as? SimulatedPeer
        let isConnected = wire.isOpen && actors[source] != nil
        guard !isConnected || isReachable(source, target) else {
            return after(1_000) { $0.arrive(news, requested, on: wire, from: side) }
        }
        if let peer { peer.inFlight = peer.inFlight.subtracting(requested) }
        defer {
            for link in openWires(of: target) { answerOffer(on: link.wire, from: 1 - link.side) }
        }
        guard isConnected else { return }
        wire.ends[side].isSending = false
        wire.ends[side].known.formUnion(news)
        wire.ends[1 - side].known.formUnion(news)
        if let peer {
            peer.receivedCount += requested.count
            if !peer.documents.isSuperset(of: requested) {
                peer.documents.formUnion(requested)
                pushOnAllLinks(of: target)
            }
        }
        push(on: wire, from: side)
        noteIdle(wire)
    }

    private func noteIdle(_ wire: SimulatedWire) {
        guard wire.isReady, wire.isOpen, wire.ends.allSatisfy({ !$0.isSending }) else { return }
        rounds.isIdleOrClosed(ObjectIdentifier(wire))
        guard !wire.hasBeenIdle else { return }
        wire.hasBeenIdle = true
        for end in wire.ends { if let id = end.connection { tell(end.address, .idle(id)) } }
    }
}
