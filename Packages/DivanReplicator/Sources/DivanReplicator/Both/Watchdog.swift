/// Detects that something has been waited for too long.
///
/// It reports when the oldest wait has lasted as long as its patience, and again each time this wait has doubled.
/// Looking is cheap, because the next time to look only moves once it has come: a busy connection does not reset a
/// timer with each message. A reported wait remains until it is over.
struct Watchdog {
    /// The wait that was reported and still continues.
    private(set) var stall: SyncWait?
    /// When to look next; `nil` while nothing is being waited for.
    private(set) var deadline: Duration?
    private var told: Duration?  // since when the wait lasts that was told
    private var threshold: Duration = .zero

    /// Checks the oldest wait, given the time when it began; returns the longest of `waits` if it is to be reported.
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
