internal import DivanCrypto
internal import DivanRevisions
internal import Synchronization

/// Who writes the revisions of a store, how they are named, and how late it is.
///
/// Any thread reads it; only the one that writes the store changes it.
final class Authorship: Sendable {
    private let state: Mutex<StoreIdentity>
    private let clock: Mutex<HybridClock>
    /// Nanoseconds since 1970.
    private let wallTime: @Sendable () -> UInt64
    /// Where another source comes from.
    private let random: any RandomSource
    // Whether a double was seen whose source is still used.
    private let hasDouble = Mutex(false)

    /// How far the clock may run ahead of what is stored of it, in nanoseconds: a minute.
    ///
    /// When the database is opened it goes on behind all that it may have given, so nothing is given
    /// twice, and what this database wrote is told from what a double wrote.
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

    /// Where the clock of a database goes on that is opened at a time.
    private static func beginning(of identity: StoreIdentity, wall: UInt64) -> UInt64 {
        let stored = identity.clockTime
        guard stored > 0, !identity.isClockExact else { return stored }
        // Where the machine's clock was set back it does not tell how much of that was given. It is exact
        // from then on: the next opening, which is early too, does not go on a further minute ahead.
        let last = stored &+ unstoredTime
        return wall < stored ? last : min(last, wall)
    }

    /// How revisions are named.
    var scheme: RevisionScheme { state.withLock { $0.scheme } }

    /// Whose versions are written from now on.
    var source: SourceID { state.withLock { $0.writer } }

    /// The author of a transaction.
    func author() -> RevisionAuthor {
        RevisionAuthor(source: source, clock: clock.withLock { $0 }, wall: wallTime())
    }

    /// Notes the times that a transaction gave: they are not given again, also where it is undone.
    func pass(_ author: RevisionAuthor) {
        guard scheme != .trees else { return }
        clock.withLock { $0 = author.clock }
        // The clock has passed the double's time, so that it would not be noticed again.
        if author.hasDouble { hasDouble.withLock { $0 = true } }
    }

    /// Stores what a transaction changes, before it is committed; `note(_:)` takes it over behind that.
    ///
    /// Where the database has a double it gets a source of its own.
    func finish(
        _ author: RevisionAuthor,
        in transaction: any StorageTransaction
    ) throws(StoreError) -> StoreIdentity? {
        guard scheme != .trees else { return nil }
        var identity = state.withLock { $0 }
        let needsSource = author.hasDouble || hasDouble.withLock { $0 }
        if needsSource { identity.source = SourceID(bytes: random.bytes(16)) }
        let isLate = author.clock.last > identity.clockTime &+ Self.unstoredTime
        // What lies ahead of this machine's time, as after a peer whose clock is fast, is stored at once:
        // whoever opens the database goes on where this machine is.
        let isAhead = author.clock.last > max(identity.clockTime, wallTime())
        // What is given behind an exact time makes it one of many.
        let leavesExact = identity.isClockExact && author.clock.last > identity.clockTime
        guard isLate || isAhead || leavesExact || needsSource else { return nil }
        identity.isClockExact = isAhead || identity.isClockExact && !leavesExact
        identity.clockTime = author.clock.last
        try identity.writeVersioning(to: transaction)
        return identity
    }

    /// Takes over what is committed of `finish(_:in:)`.
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
