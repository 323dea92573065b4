/// Who writes a database's revisions, and when: what a history needs to name new ones.
///
/// Trees need none of it but `blinding`: there the name of a revision follows from its content.
public struct RevisionAuthor: Equatable, Sendable {
    /// The database.
    public let source: SourceID
    /// Its clock, which is kept with it.
    public private(set) var clock: HybridClock
    /// Whether a version came that this database did not write although it bears its source.
    ///
    /// Somebody copied or restored the file: what is written from now on needs another source.
    public private(set) var hasDouble = false
    /// What the digest of the next revision of a tree runs over besides its content: random bytes where
    /// the body must not be guessed from its name, nothing elsewhere.
    public var blinding: [UInt8] = []
    private let wall: UInt64

    /// Creates an author; `wall` is nanoseconds since 1970.
    public init(source: SourceID, clock: HybridClock, wall: UInt64) {
        self.source = source
        self.clock = clock
        self.wall = wall
    }

    /// The time of a new revision, later than all that this source wrote into the vectors.
    mutating func time(after vectors: VersionVector...) throws(RevisionError) -> UInt64 {
        for vector in vectors { clock.pass(vector.time(of: source)) }
        guard let time = clock.now(wall: wall) else { throw .badVersion(.clockExhausted) }
        return time
    }

    /// Notes a received revision without a past.
    ///
    /// - Throws: `foreignScheme`, `badVersion` for one that a database of that scheme does not take.
    public mutating func admit(
        _ id: RevisionID,
        in scheme: RevisionScheme
    ) throws(RevisionError) {
        guard scheme.takes(id) else { throw .foreignScheme(id) }
        guard let version = id.version else { return }
        if version.source == source, version.time > clock.last { hasDouble = true }
        do {
            try clock.see(version.time, wall: wall)
        } catch {
            throw .badVersion(error)
        }
    }

    /// Notes the times of a received vector.
    mutating func see(_ vector: VersionVector) throws(RevisionError) {
        if vector.time(of: source) > clock.last { hasDouble = true }
        do {
            try clock.see(vector, wall: wall)
        } catch {
            throw .badVersion(error)
        }
    }
}
