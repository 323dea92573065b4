/// Notices that something is waited for too long.
///
/// It speaks when the oldest wait has lasted as long as its patience, and again each time that this
/// wait has doubled. Looking is cheap, since the next time to look only moves when it has come: a
/// busy connection does not set a timer anew with each message. What it told stands until that wait is
/// over.
struct Watchdog {
    /// What was told and is still waited for.
    private(set) var stall: SyncWait?
    /// When to look next; `nil` while nothing is waited for.
    private(set) var deadline: Duration?
    private var told: Duration?  // since when the wait lasts that was told
    private var threshold: Duration = .zero

    /// Looks at the oldest wait, by the moment when it began; returns the longest of `waits` when it is to
    /// be told.
    mutating func look(
        _ oldest: Duration?,
        at now: Duration,
        patience: Duration,
        _ waits: () -> [SyncWait]
    ) -> SyncWait? {
        guard isDue(oldest, at: now, patience: patience) else {
            if told == nil { stall = nil }
            return nil
        }
        stall = waits().first
        return stall
    }

    private mutating func isDue(_ oldest: Duration?, at now: Duration, patience: Duration) -> Bool {
        guard let oldest else {
            told = nil
            if let deadline, now >= deadline { self.deadline = nil }
            return false
        }
        if told != oldest {
            told = nil
            threshold = max(patience, .milliseconds(1))  // doubling nothing would never end
        }
        guard let next = deadline else {
            deadline = oldest + threshold
            return false
        }
        guard now >= next else { return false }
        guard now >= oldest + threshold else {
            deadline = oldest + threshold
            return false
        }
        told = oldest
        while now >= oldest + threshold { threshold *= 2 }
        deadline = oldest + threshold
        return true
    }
}
