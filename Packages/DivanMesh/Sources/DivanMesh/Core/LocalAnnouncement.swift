/// What this peer announces, and when.
///
/// Changes within a second become one announcement with one number: the network sees at most one a second, and as the
/// first number is the time in seconds, the numbers of a restarted peer follow those from before.
struct LocalAnnouncement: Sendable {
    /// The announcement that was published last.
    private(set) var published: MeshAnnouncement { didSet { encoding = nil } }
    /// Where this peer accepts connections.
    var addresses: [MeshAddress] = [] {
        didSet {
            isChanged = isChanged || addresses != oldValue
            encoding = nil
        }
    }
    private var encoding: EncodedRecord?
    private var neighbours: [MeshPeerPrefix] = []
    private var counter: MeshCounter
    private var isChanged = true
    private var publishedAt: Duration?

    init(_ configuration: MeshConfiguration) {
        counter = MeshCounter(rawValue: configuration.firstCounter)
        published = MeshAnnouncement(
            peer: configuration.peer,
            counter: counter,
            scheme: configuration.scheme,
            isPartial: configuration.isPartial
        )
    }

    /// The record for gossip.
    var record: GossipMessage.Record { GossipMessage.Record(published, addresses: addresses) }

    /// The record, encoded once.
    mutating func encodedRecord() -> EncodedRecord {
        if let encoding { return encoding }
        let encoding = EncodedRecord(record)
        self.encoding = encoding
        return encoding
    }

    /// Records the peers to which this peer is linked now.
    mutating func update(neighbours: [MeshPeerPrefix]) {
        guard self.neighbours != neighbours else { return }
        self.neighbours = neighbours
        isChanged = true
    }

    /// Contradicts an announcement under this peer's ID that is not the published one: a replayed or a made-up one.
    mutating func refute(_ counter: MeshCounter) {
        guard counter.isNewer(than: self.counter) || counter == self.counter else { return }
        self.counter = counter
        isChanged = true
    }

    /// When the next announcement is due; `nil` if nothing has changed.
    var dueAt: Duration? {
        isChanged ? publishedAt.map { $0 + MeshTiming.announcement } ?? .zero : nil
    }

    /// Makes the next announcement.
    mutating func publish(at now: Duration) -> MeshAnnouncement {
        counter = counter.next
        published.counter = counter
        published.neighbours = neighbours
        isChanged = false
        publishedAt = now
        return published
    }
}
