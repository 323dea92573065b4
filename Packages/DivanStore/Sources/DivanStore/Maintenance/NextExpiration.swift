internal import DivanLog
internal import Synchronization

/// When a document of a store expires next, as far as that is known: no document expires earlier.
///
/// So that readers who serve others can compare it with the wall clock each time, without reading the database.
struct NextExpiration {
    /// In milliseconds since 1970; `nil` if it must be read.
    private(set) var time: Int64?
    /// Counts the expirations that were set: a time that was read before the last one may be too late.
    private(set) var version: UInt64 = 0

    /// Notes an expiration that was committed.
    mutating func note(_ expiration: Int64) {
        version += 1
        if let time { self.time = min(time, expiration) }
    }

    /// Notes what was read while `version` was current; `nil` means that no document expires.
    mutating func noteRead(_ expiration: Int64?, at version: UInt64) {
        guard version == self.version else { return }
        time = expiration ?? .max
    }
}

extension Store {
    /// How long a document that could not be purged is left alone, in milliseconds.
    private static let pauseAfterFailure: Int64 = 60_000

    /// Reads like `read`, after purging documents that have expired by the wall clock; for reads on behalf of
    /// clients.
    ///
    /// A timer purges documents when they expire, but it may be late after the machine was suspended, or after the
    /// clock was changed.
    public func readLiving<T>(_ body: (StoreReader) throws -> T) throws -> T {
        purgeDue()
        return try read(body)
    }

    /// Purges documents that have expired by the wall clock, unless the store is read-only or this thread is inside
    /// `write`.
    ///
    /// If a document cannot be purged, the error is logged, and the purge is retried after a minute.
    public func purgeDue() {
        guard !isReadOnly, !isWriting else { return }
        let now = Int64(clamping: authorship.times.wall / 1_000_000)
        let known = expirations.withLock { $0 }
        if let time = known.time, time > now { return }
        do {
            if known.time != nil { try purgeExpired(now: now) }
            let next = try nextExpiration()
            expirations.withLock { $0.noteRead(next, at: known.version) }
            guard let next, next <= now else { return }
            if known.time == nil { return purgeDue() }
            // It is damaged; the purge has logged it.
            expirations.withLock { $0.noteRead(now + Self.pauseAfterFailure, at: known.version) }
        } catch {
            expirations.withLock { $0.noteRead(now + Self.pauseAfterFailure, at: known.version) }
            guard (error as? StoreError)?.code != .notOpen else { return }
            StoreLog.database.warning("Cannot purge expired documents: \(error)")
        }
    }
}

extension StoreWriter {
    /// Notes an expiration that this transaction sets.
    func noteExpiration(_ time: Int64?) {
        guard let time else { return }
        earliestExpiration = min(earliestExpiration ?? time, time)
    }
}
