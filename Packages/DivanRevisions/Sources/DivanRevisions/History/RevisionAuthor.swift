/// Who writes a database's revisions, and when: what a history needs to name new ones.
///
/// Trees need only `blinding`: there the name of a revision follows from its content.
public struct RevisionAuthor: Equatable, Sendable {
    /// The database.
    public let source: SourceID
    /// Its clock, which is kept with it.
    public private(set) var clock: HybridClock
    /// Whether a version was received that has this database's source but was not written by it.
    ///
    /// The file was copied or restored: revisions written from now on need another source.
    public private(set) var hasDouble = false
    /// What the digest of a tree's next revision covers in addition to its content: random bytes if
    /// the body must not be guessable from its name, otherwise nothing.
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
        for vector in vectors { clock.pass(vector.time(of: source)) }
        guard let time = clock.now(wall: wall) else { throw .badVersion(.clockExhausted) }
        return time
    }

    /// Notes a received revision without a past.
    ///
    /// - Throws: `foreignScheme`, `badVersion` for one that a database of that scheme does not accept.
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
