import DivanReplicator

/// Conflicts that wait for a resolver, and how many resolvers are running.
struct ConflictBacklog {
    /// The most resolvers that run at the same time.
    ///
    /// They are application code that may take long and use the database: four keep a small machine
    /// busy and leave threads for other work.
    static let runningLimit = 4

    private var waiting: [PendingConflict] = []
    private var startedCount = 0
    private var runningCount = 0

    /// Whether nothing waits and no resolver runs.
    var isSettled: Bool { runningCount == 0 && startedCount == waiting.count }

    /// Conflicts in memory.
    var keptCount: Int { waiting.count }

    /// Queues a conflict.
    mutating func add(_ conflict: PendingConflict) {
        waiting.append(conflict)
    }

    /// The next conflict for a resolver, or `nil` when none waits or enough resolvers run.
    mutating func next() -> PendingConflict? {
        guard runningCount < Self.runningLimit, startedCount < waiting.count else { return nil }
        defer {
            startedCount += 1
            runningCount += 1
            // Even a line that is never empty keeps no more than what waits, and as much again.
            if startedCount == waiting.count || startedCount >= max(64, waiting.count / 2) {
                waiting.removeFirst(startedCount)
                startedCount = 0
            }
        }
        return waiting[startedCount]
    }

    /// Counts a resolver that has finished.
    mutating func finished() {
        runningCount -= 1
    }
}
