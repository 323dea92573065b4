internal import CDivanStore

// Rewriting a whole database takes minutes if it is large; its caller may stop it.
extension Store {
    /// The control of the copying on this thread.
    @TaskLocal static var stop: QueryControl?

    /// Runs work that copies, imports, rebuilds or re-encrypts a database, and that a control can stop.
    ///
    /// Unfinished work is rolled back, as after any error. A key change that has taken effect is completed.
    ///
    /// - Throws: What `body` throws; a `StoreError` after the control is cancelled.
    public static func stopping<Result>(
        by control: QueryControl,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try $stop.withValue(control, operation: body)
    }

    /// Waits for work that runs on another thread for this one, such as a pull, and ends it if the control is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - end: Ends the work, so that `wait` returns. Called on any thread, possibly twice.
    ///   - wait: Returns when the work has ended.
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

    /// Stops the work on this thread if its control is cancelled; `path` is the database.
    ///
    /// - Throws: A `StoreError` if the control is cancelled.
    public static func checkStop(at path: String) throws(StoreError) {
        guard let stop, stop.mustStop else { return }
        throw StoreError(.sqlite(SQLITE_INTERRUPT, "stopped"), at: path)
    }
}

extension StoreError {
    /// Whether the work was stopped by a control.
    var isStop: Bool {
        if case .sqlite(SQLITE_INTERRUPT, _) = code { true } else { false }
    }
}
