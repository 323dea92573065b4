internal import CDivanStore

// Rewriting a whole database takes minutes if it is large; its caller may stop it.
extension Store {
    /// The watch of the copying on this thread.
    @TaskLocal static var stop: QueryWatch?

    /// Runs work that copies, imports or rebuilds a database or changes its key, and that a watch can stop.
    ///
    /// What was begun is then undone, as after any error; a change of the key that has taken effect is finished.
    ///
    /// - Throws: What `body` throws; once the watch is cancelled, that is some `StoreError`.
    public static func stopping<Result>(
        by watch: QueryWatch,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try $stop.withValue(watch, operation: body)
    }

    /// Waits for something that works for this thread elsewhere, such as a pull, and ends it if the watch of
    /// this thread's work is cancelled.
    ///
    /// - Parameters:
    ///   - end: Ends it, so that `wait` returns; called on any thread, perhaps twice.
    ///   - wait: Returns when it has ended.
    /// - Throws: What `wait` throws, and a `StoreError` if the work is stopped.
    public static func waiting(
        ending end: @escaping @Sendable () -> Void,
        _ wait: () throws -> Void
    ) throws {
        guard let stop else { return try wait() }
        stop.onCancel(end)
        defer { stop.onCancel(nil) }
        try wait()
        try checkStop(at: "")
    }

    /// Stops the work on this thread if its watch is cancelled; `path` is what the work is about.
    ///
    /// - Throws: A `StoreError` once that is the case.
    public static func checkStop(at path: String) throws(StoreError) {
        guard let stop, stop.mustStop else { return }
        throw StoreError(.sqlite(SQLITE_INTERRUPT, "stopped"), at: path)
    }
}

extension StoreError {
    /// Whether the work was stopped by a watch.
    var isStop: Bool {
        if case .sqlite(SQLITE_INTERRUPT, _) = code { true } else { false }
    }
}
