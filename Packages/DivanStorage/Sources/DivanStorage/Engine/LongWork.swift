/// Work that copies, imports, rebuilds or re-encrypts a database, which may take minutes and can be stopped.
public enum LongWork {
    /// The control of the work on this thread; `nil` if no caller can stop it.
    @TaskLocal public static var control: QueryControl?

    /// Runs work that a control can stop.
    ///
    /// Unfinished work is rolled back, as after any error. A key change that has taken effect is completed.
    ///
    /// - Throws: What `body` throws; a `StoreError` after the control is cancelled.
    public static func stopping<Result>(
        by control: QueryControl,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try $control.withValue(control, operation: body)
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
        guard let control else { return try wait() }
        control.onCancel(end)
        defer { control.onCancel(nil) }
        try wait()
        try check(at: "")
    }

    /// Stops the work on this thread if its control is cancelled; `path` is the database.
    ///
    /// - Throws: A `StoreError` if the control is cancelled.
    public static func check(at path: String) throws(StoreError) {
        guard let control, control.mustStop else { return }
        throw .stopped(at: path)
    }
}

extension StoreError {
    /// SQLite's code of a stopped statement (`SQLITE_INTERRUPT`), which other engines use, too.
    private static let stopCode: Int32 = 9

    /// The error of work that a control stopped.
    public static func stopped(at path: String) -> StoreError {
        StoreError(.sqlite(stopCode, "stopped"), at: path)
    }

    /// Whether the work was stopped by a control.
    public var isStop: Bool {
        if case .sqlite(Self.stopCode, _) = code { true } else { false }
    }
}
