/// Effects that wait for the driver, in order; what became of documents leaves in batches.
struct EffectQueue {
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
