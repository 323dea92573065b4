/// Effects that wait for the driver, in order.
///
/// What became of documents leaves in batches. Of the status a new activity or error is told at once, mere
/// progress five times a second.
struct EffectQueue {
    /// The status as last told.
    private(set) var status = SyncStatus(.connecting)
    /// When progress may be told again.
    private var statusDue: Duration = .zero
    private var effects: [SyncEffect] = []
    private var nextIndex = 0
    private var events: [DocumentEvent] = []

    mutating func append(_ effect: SyncEffect) {
        effects.append(effect)
    }

    mutating func report(_ event: DocumentEvent) {
        events.append(event)
    }

    /// Moves collected document events into the effects.
    mutating func flushEvents() {
        guard !events.isEmpty else { return }
        effects.append(.documents(events))
        events.removeAll(keepingCapacity: true)
    }

    /// Tells document events, and the status where it is news.
    mutating func tell(_ current: SyncStatus, at now: Duration) {
        flushEvents()
        guard current != status else { return }
        let isUrgent =
            current.activity != status.activity || current.error != status.error
            || current.rotating != status.rotating || current.stall != status.stall
        guard isUrgent || now >= statusDue else { return }
        status = current
        statusDue = now + .milliseconds(200)
        effects.append(.status(current))
    }

    /// When progress may be told that was not told yet.
    func statusDeadline(_ current: SyncStatus) -> Duration? {
        current != status ? statusDue : nil
    }

    mutating func next() -> SyncEffect? {
        guard nextIndex < effects.count else {
            if nextIndex > 0 {
                effects.removeAll(keepingCapacity: true)
                nextIndex = 0
            }
            return nil
        }
        nextIndex += 1
        return effects[nextIndex - 1]
    }
}
