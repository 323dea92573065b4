internal import DivanCrypto

/// What this peer knows about another, and what it makes of it.
///
/// Knowledge comes from three sources, which are believed in this order: the peer itself, over a link, whose ID is
/// proved; advertisements on the network, which anyone can publish; and gossip, in which any member can claim anything
/// about any other. A source that is believed less never replaces the word of the peer itself while it is linked.
struct KnownPeer: Sendable {
    /// A place to call.
    struct Place: Sendable {
        let address: MeshAddress
        /// Advertised on the network, or by the peer itself over a link, as opposed to reported by others.
        var isAdvertised: Bool
        /// A failure concerns the place, not the ID: anyone can advertise a foreign ID.
        var backOff = BackOff()
    }

    let id: MeshPeerID
    /// The hash of the pair with this peer.
    let pairHash: UInt64
    /// What it published last; `nil` if it called, and has said nothing yet.
    private(set) var announcement: MeshAnnouncement? { didSet { encoding = nil } }
    private(set) var places: [Place] = [] { didSet { encoding = nil } }
    /// What gossip says about it, encoded; `nil` until it is sent, and after a change.
    private var encoding: EncodedRecord?
    private(set) var presence = PeerPresence.rumoured
    /// How many advertisements have its ID.
    var advertisementCount = 0
    /// Whether it was advertised, and is not any more.
    var isWithdrawn = false
    /// The peer on whose word alone it is remembered.
    var reporter: MeshPeerID?
    /// When it was last known to run.
    var heardAt: Duration
    /// Whether there is an open link to it.
    var isLinked = false
    /// Since when it has been outside the own part of the mesh; `nil` for a member.
    var outsideSince: Duration?
    /// How many members come before this peer when it is to be called, and among which members that was counted.
    var rank: (generation: Int, count: Int)?
    /// Since when the plan has contained it.
    var wantedSince: Duration?
    /// It has no room, or does not accept this peer: not called before.
    var pausedUntil: Duration = .zero
    /// It has broken the rules: neither called nor accepted before.
    var bannedUntil: Duration = .zero
    /// That it does not run any more, according to others or to itself.
    private(set) var departure: Departure?
    /// A counter that others ascribe to it, newer than its own: it must continue after that.
    var contested: MeshCounter?
    /// The number of its last change, in the order in which gossip reports them.
    var change: UInt64 = 0
    /// From whom the last change came, to whom it need not be sent back.
    var changedBy: MeshPeerID?

    /// A report that a peer does not run any more; a newer announcement refutes it.
    struct Departure: Sendable {
        let counter: MeshCounter
        /// It said so itself.
        let isGoodbye: Bool
    }

    init(_ id: MeshPeerID, own: MeshPeerID, at now: Duration) {
        self.id = id
        pairHash = own.pairHash(with: id)
        heardAt = now
        outsideSince = now
    }

    /// Whether it has said goodbye.
    var hasLeft: Bool { departure?.isGoodbye ?? false }

    /// Whether it cannot carry all documents to others; a peer that has said nothing yet can.
    var isPartial: Bool { announcement?.isPartial ?? false }

    /// Whether it belongs to the own part of the mesh: linked, or listed by a member.
    var isMember: Bool { outsideSince == nil }

    /// The place to call next; `nil` if there is none, or all must wait.
    func place(at now: Duration) -> MeshAddress? {
        places.filter { $0.backOff.isReady(at: now) }
            .min { ($0.backOff.failureCount, $0.rank) < ($1.backOff.failureCount, $1.rank) }?
            .address
    }

    /// When a place can be called; `nil` if there is none.
    var retryAt: Duration? {
        guard places.count != 1 else { return places[0].backOff.retryAt }
        return places.map(\.backOff.retryAt).min()
    }

    /// Failures in a row at the best place.
    var failureCount: Int {
        guard places.count != 1 else { return places[0].backOff.failureCount }
        return places.map(\.backOff.failureCount).min() ?? 0
    }
}

extension KnownPeer.Place {
    /// Lower for the better of two places.
    fileprivate var rank: Int { isAdvertised ? 0 : 1 }
}

// MARK: - Changes

extension KnownPeer {
    /// Takes over an announcement if it is newer; returns whether it was.
    mutating func note(_ news: MeshAnnouncement, isFromPeerItself: Bool) -> Bool {
        if let known = announcement {
            let isNew = news.counter.isNewer(than: known.counter)
            // After a restart a peer counts from a new number, which it alone can prove.
            guard isNew || (isFromPeerItself && news != known) else { return false }
        }
        announcement = news
        if let departure, news.counter.isNewer(than: departure.counter) { self.departure = nil }
        return true
    }

    /// Adds a place; if there are too many, it replaces the one with the most failures, a reported one first.
    mutating func note(_ address: MeshAddress, isAdvertised: Bool) {
        if let index = places.firstIndex(where: { $0.address == address }) {
            if isAdvertised, !places[index].isAdvertised { places[index].isAdvertised = true }
            return
        }
        let place = Place(address: address, isAdvertised: isAdvertised)
        guard places.count >= MeshLimits.addressCount else {
            places.append(place)
            return
        }
        let worst = places.indices.max {
            (places[$0].rank, places[$0].backOff.failureCount)
                < (places[$1].rank, places[$1].backOff.failureCount)
        }
        if let worst, isAdvertised || places[worst].backOff.failureCount > 0 {
            places[worst] = place
        }
    }

    /// Removes a place that is not advertised any more.
    mutating func forget(_ address: MeshAddress) {
        places.removeAll { $0.address == address }
    }

    /// Records that a call to a place failed.
    mutating func fail(_ address: MeshAddress, at now: Duration, random: any RandomSource) {
        guard let index = places.firstIndex(where: { $0.address == address }) else { return }
        places[index].backOff.fail(at: now, random: random)
    }

    /// Forgets the failures of all places.
    mutating func forgive() {
        for index in places.indices where places[index].backOff != BackOff() {
            places[index].backOff.succeed()
        }
    }

    /// Records a report of others about a linked peer, which the peer itself must refute.
    mutating func noteContest(_ record: GossipMessage.Record) {
        guard let known = announcement?.counter else { return }
        let counter = record.announcement.counter
        let isLie = record.condition != .running && !known.isNewer(than: counter)
        if isLie || counter.isNewer(than: contested ?? known) { contested = counter }
    }

    /// Records that it does not run any more, unless it is known to have said something since.
    mutating func noteDeparture(_ counter: MeshCounter, isGoodbye: Bool) {
        if let known = announcement?.counter, known.isNewer(than: counter) { return }
        departure = Departure(counter: counter, isGoodbye: isGoodbye || hasLeft)
    }

    /// Records that it has proved to run.
    mutating func refuteDeparture() {
        departure = nil
    }

    /// Whether there is no reason to remember it any longer.
    func isForgotten(at now: Duration) -> Bool {
        guard !isLinked, !isMember, advertisementCount == 0 else { return false }
        return now >= heardAt + (hasLeft ? MeshTiming.farewell : MeshTiming.memory)
    }

    /// Passes an event to the presence; returns what follows from it.
    mutating func handle(_ event: PeerPresence.Event) -> [PeerPresence.Effect] {
        presence.handle(event)
    }

    /// What gossip says about it; `nil` if it has announced nothing.
    mutating func record(at now: Duration) -> EncodedRecord? {
        guard let announcement else { return nil }
        if encoding == nil {
            let best = places.sorted { $0.backOff.failureCount < $1.backOff.failureCount }
            let record = GossipMessage.Record(announcement, addresses: best.map(\.address))
            encoding = EncodedRecord(record)
        }
        // The age and the condition change without a change of the rest.
        let age = isMember ? 0 : UInt16(clamping: (now - heardAt).components.seconds)
        let state: GossipMessage.Condition =
            hasLeft ? .left : presence == .offline ? .unanswered : .running
        encoding?.set(age: age, state)
        return encoding
    }
}
