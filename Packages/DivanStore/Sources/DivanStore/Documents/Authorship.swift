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
        clock = Mutex(HybridClock(last: Self.beginning(of: identity, wall: wallTime())))
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

    /// Notes the times that a transaction gave: they are not given again, even if it is rolled back.
    func pass(_ author: RevisionAuthor) {
        guard scheme != .trees else { return }
        clock.withLock { $0 = author.clock }
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
        let needsSource = author.hasDouble || hasDouble.withLock { $0 }
        if needsSource { identity.source = SourceID(bytes: random.bytes(16)) }
        let isLate = author.clock.last > identity.clockTime &+ Self.unstoredTime
        // A time ahead of this machine's clock, for example after contact with a peer whose clock is
        // fast, is stored at once: the next opening then continues exactly from there.
        let isAhead = author.clock.last > max(identity.clockTime, wallTime())
        // Once a later time is given, the stored time is no longer exact.
        let leavesExact = identity.isClockExact && author.clock.last > identity.clockTime
        guard isLate || isAhead || leavesExact || needsSource else { return nil }
        identity.isClockExact = isAhead || identity.isClockExact && !leavesExact
        identity.clockTime = author.clock.last
        try identity.writeVersioning(to: transaction)
        return identity
    }

    /// Adopts what `finish(_:in:)` stored, once it is committed.
    func note(_ identity: StoreIdentity) {
        let before = state.withLock { state in
            defer { state = identity }
            return state.writer
        }
        if identity.writer != before { hasDouble.withLock { $0 = false } }
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
