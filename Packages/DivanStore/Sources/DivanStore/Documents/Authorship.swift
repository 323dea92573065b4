internal import DivanCrypto
internal import DivanRevisions
internal import Synchronization

/// Who writes the revisions of a store, how they are named, and what time its clock shows.
///
/// Any thread may read it; only the thread that writes the store changes it.
final class Authorship: Sendable {
    private let state: Mutex<StoreIdentity>
    private let clock: Mutex<HybridClock>
    /// Nanoseconds since 1970.
    private let wallTime: @Sendable () -> UInt64
    /// Supplies a new source.
    private let random: any RandomSource
    // Whether a double (another database that writes as our source) was seen and the source is still in use.
    private let hasDouble = Mutex(false)

    /// How far the clock may run ahead of its stored time, in nanoseconds: one minute.
    ///
    /// When the database is opened, the clock continues after every time that it may have given. So no
    /// time is given twice, and versions written by this database can be told from those of a double.
    private static let unstoredTime: UInt64 = 60_000_000_000

    init(
        _ identity: StoreIdentity,
        random: any RandomSource,
        wallTime: @escaping @Sendable () -> UInt64
    ) {
        state = Mutex(identity)
        self.random = random
        self.wallTime = wallTime
        let last = Self.beginning(of: identity, wall: wallTime())
        clock = Mutex(HybridClock(last: last, jump: identity.clockJump))
    }

    /// The time at which the clock continues when a database is opened at time `wall`.
    private static func beginning(of identity: StoreIdentity, wall: UInt64) -> UInt64 {
        let stored = identity.clockTime
        guard stored > 0, !identity.isClockExact else { return stored }
        // If the machine's clock was set back, it does not tell how much of that minute was used. The
        // clock is exact from then on: the next opening, which is early too, does not skip another minute.
        let last = stored &+ unstoredTime
        return wall < stored ? last : min(last, wall)
    }

    /// How revisions are named.
    var scheme: RevisionScheme { state.withLock { $0.scheme } }

    /// The source that versions are written as from now on.
    var source: SourceID { state.withLock { $0.writer } }

    /// The author of a transaction.
    func author() -> RevisionAuthor {
        RevisionAuthor(source: source, clock: clock.withLock { $0 }, wall: wallTime())
    }

    /// The latest time that was given or seen, and this machine's, in nanoseconds since 1970.
    var times: (clock: HybridClock, wall: UInt64) { (clock.withLock { $0 }, wallTime()) }

    /// A source that no database uses.
    func newSource() -> SourceID { SourceID(bytes: random.bytes(16)) ?? .me }

    /// Notes the times that a transaction gave: they are not given again, even if it is rolled back.
    ///
    /// A clock that it repaired counts only once that is committed.
    func pass(_ author: RevisionAuthor) {
        guard scheme != .trees else { return }
        if !author.isClockRepaired { clock.withLock { $0 = author.clock } }
        // The clock has passed the double's time, so the double would not be noticed again.
        if author.hasDouble { hasDouble.withLock { $0 = true } }
    }

    /// Stores the changes that a transaction makes, before it commits; `note(_:)` adopts them afterwards.
    ///
    /// If the database has a double, it gets a new source.
    func finish(
        _ author: RevisionAuthor,
        in transaction: any StorageTransaction
    ) throws(StoreError) -> StoreIdentity? {
        guard scheme != .trees else { return nil }
        var identity = state.withLock { $0 }
        let hasDouble = author.hasDouble || hasDouble.withLock { $0 }
        let needsSource = hasDouble || author.successor != nil
        if needsSource { identity.source = author.successor ?? newSource() }
        let isLate = author.clock.last > identity.clockTime &+ Self.unstoredTime
        // A time ahead of this machine's clock, for example after contact with a peer whose clock is
        // fast, is stored at once: the next opening then continues exactly from there.
        let isAhead = author.clock.last > max(identity.clockTime, wallTime())
        // Once a later time is given, the stored time is no longer exact.
        let leavesExact = identity.isClockExact && author.clock.last > identity.clockTime
        let isJump = author.clock.jump != identity.clockJump
        guard isLate || isAhead || leavesExact || needsSource || isJump || author.isClockRepaired
        else { return nil }
        identity.isClockExact =
            isAhead || author.isClockRepaired || identity.isClockExact && !leavesExact
        identity.clockTime = author.clock.last
        identity.clockJump = author.clock.jump
        try identity.writeVersioning(to: transaction)
        return identity
    }

    /// Adopts what `finish(_:in:)` stored, once it is committed.
    ///
    /// - Returns: The jump of the clock, if that is new.
    func note(_ identity: StoreIdentity) -> ClockJump? {
        let before = state.withLock { state in
            defer { state = identity }
            return state
        }
        if identity.writer != before.writer { hasDouble.withLock { $0 = false } }
        return identity.clockJump == before.clockJump ? nil : identity.clockJump
    }

    /// Adopts the clock that a transaction repaired, once it is committed.
    func note(repaired clock: HybridClock) {
        self.clock.withLock { $0 = clock }
    }

    /// Names revisions by version vectors from now on.
    func upgrade(in transaction: any StorageTransaction) throws(StoreError) {
        var identity = state.withLock { $0 }
        identity.scheme = .vectors
        try identity.writeVersioning(to: transaction)
    }

    /// Notes that an upgrade is committed.
    func noteUpgrade() {
        state.withLock { $0.scheme = .vectors }
    }
}
