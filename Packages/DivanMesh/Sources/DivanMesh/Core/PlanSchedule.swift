/// The earliest of several times.
struct Alarm: Sendable {
    /// When something is due; `nil` if nothing is.
    private(set) var time: Duration?

    /// Adds a time.
    mutating func ring(at time: Duration) {
        self.time = self.time.map { min($0, time) } ?? time
    }
}

/// When to plan: after a change, and when a plan has waited for long enough, but not more often than every half second.
struct PlanSchedule: Sendable {
    /// Whether something has changed since the last plan.
    var isNeeded = false
    /// How wide the plan is: 1, or more if no call is answered.
    private(set) var breadth = 1
    /// Calls that failed since the last one that was answered.
    private var failureCount = 0
    private var plannedAt: Duration?
    private var wait = Alarm()

    /// When to plan next; `nil` if only an event can make it necessary.
    var dueAt: Duration? {
        guard let time = isNeeded ? .zero : wait.time else { return nil }
        let interval = breadth > 1 ? MeshTiming.planUnanswered : MeshTiming.plan
        return plannedAt.map { max(time, $0 + interval) } ?? time
    }

    /// The peer has started: the first plan waits for the first advertisements.
    mutating func start(at now: Duration) {
        isNeeded = true
        plannedAt = plannedAt ?? now
    }

    /// A plan begins.
    mutating func begin(at now: Duration) {
        isNeeded = false
        plannedAt = now
        wait = Alarm()
    }

    /// The plan has to be looked at again at a time.
    mutating func wait(until time: Duration) {
        wait.ring(at: time)
    }

    /// A call was not answered.
    mutating func callFailed() {
        failureCount += 1
    }

    /// Doubles the breadth if no call was answered, neither those that failed nor those that still wait.
    mutating func widen(pendingCount: Int) {
        guard failureCount + pendingCount > 0 else { return }
        breadth = min(breadth * 2, MeshLimits.callCount)
        failureCount = 0
    }

    /// A call was answered: the next ones are not more than before.
    mutating func callAnswered() {
        failureCount = 0
    }

    /// There is no one left to try.
    mutating func narrow() {
        breadth = 1
        failureCount = 0
    }
}
