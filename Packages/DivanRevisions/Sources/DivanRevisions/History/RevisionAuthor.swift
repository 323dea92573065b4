/// The source and the clock that a history needs for the IDs of new revisions.
///
/// Trees need only `blinding`: their revision IDs depend only on the content.
public struct RevisionAuthor: Equatable, Sendable {
    /// The database.
    public let source: SourceID
    /// The clock of the database, which is stored with it.
    public private(set) var clock: HybridClock
    /// Whether a version was received that has the source of this database but was not written by it.
    ///
    /// The file was copied or restored: new revisions need another source.
    public private(set) var hasDouble = false
    /// Whether the clock was set back: new times are earlier than some that it returned before.
    public private(set) var isClockRepaired = false
    /// The source that the database uses after this transaction, if it changes.
    public private(set) var successor: SourceID?
    /// Additional input of the digest of a tree's next revision: random bytes if the body must not be guessable
    /// from its ID, otherwise empty.
    public var blinding: [UInt8] = []
    private let wall: UInt64

    /// Creates an author; `wall` is nanoseconds since 1970.
    public init(source: SourceID, clock: HybridClock, wall: UInt64) {
        self.source = source
        self.clock = clock
        self.wall = wall
    }

    /// The time of a new revision, later than all of this source's times in the vectors.
    mutating func time(after vectors: VersionVector...) throws(RevisionError) -> UInt64 {
        let floor = vectors.reduce(0) { max($0, $1.time(of: source)) }
        guard let time = clock.now(wall: wall, after: floor) else {
            throw .badVersion(.clockExhausted)
        }
        return time
    }

    /// Checks and records a received revision without ancestry.
    ///
    /// - Throws: `foreignScheme`, `badVersion` for an ID that a database of that scheme does not accept.
    public mutating func admit(
        _ id: RevisionID,
        in scheme: RevisionScheme
    ) throws(RevisionError) {
        guard scheme.takes(id) else { throw .foreignScheme(id) }
        guard let version = id.version else { return }
        guard version.source != .deletions else { throw .badVersion(.pseudoSource(.deletions)) }
        if version.source == source, version.time > clock.last { hasDouble = true }
        do {
            try clock.see(version.time, wall: wall)
        } catch {
            throw .badVersion(error)
        }
    }

    /// Notes the times of a received vector, except those that the document's vector contains: they are not news,
    /// and refusing them would not remove them here.
    mutating func see(
        _ vector: VersionVector,
        beyond known: VersionVector
    ) throws(RevisionError) {
        let knownTime = known.timeOfSource
        let news = vector.versions.filter { $0.time > knownTime($0.source) }
        if news.contains(where: { $0.source == source && $0.time > clock.last }) {
            hasDouble = true
        }
        do {
            try clock.see(VersionVector(unchecked: news, mergeCount: 0), wall: wall)
        } catch {
            throw .badVersion(error)
        }
    }

    /// Sets the clock back to at most one minute ahead of the wall clock.
    ///
    /// - Returns: The latest time that peers currently accept.
    public mutating func repairClock() -> UInt64 {
        clock = clock.setBack(to: wall)
        isClockRepaired = true
        return HybridClock.limit(at: wall)
    }

    /// Leaves the source to versions that are ahead and that peers have: the database writes as another one.
    mutating func leaveSource(for successor: SourceID) {
        self.successor = successor
    }
}
