/// Effects that wait for the driver, in order.
///
/// Document events are emitted in batches. A new activity or error in the status is reported at once, mere progress
/// five times a second.
struct EffectQueue {
    /// The last reported status.
    private(set) var status = SyncStatus(.connecting)
    /// When progress may be reported again.
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

    /// Emits document events, and the status if it has changed.
    mutating func reportStatus(_ current: SyncStatus, at now: Duration) {
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

    /// When unreported progress may be reported.
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
