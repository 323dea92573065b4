internal import CDivanStore

// What writes a whole database anew takes minutes where it is large: whoever began it may stop it.
extension Store {
    /// The watch of the copying on this thread.
    @TaskLocal static var stop: QueryWatch?

    /// Runs work that copies a database, imports or rebuilds one or changes its key, and lets a watch stop it.
    ///
    /// What was begun is undone then, as after any error; a change of the key that is decided is finished.
    ///
    /// - Throws: What `body` throws; once the watch is cancelled, that is some `StoreError`.
    public static func stopping<Result>(
        by watch: QueryWatch,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try $stop.withValue(watch, operation: body)
    }

    /// Waits for something that works for this thread elsewhere, such as a pull, and ends that where the watch
    /// of the work on this thread stops it.
    ///
    /// - Parameters:
    ///   - end: Ends it, so that `wait` returns; called on any thread, perhaps twice.
    ///   - wait: Returns when it has ended.
    /// - Throws: What `wait` throws, and a `StoreError` where the work is stopped.
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

    /// Ends the work on this thread where its watch says so; `path` is what it is about.
    ///
    /// - Throws: A `StoreError` once that is cancelled.
    public static func checkStop(at path: String) throws(StoreError) {
        guard let stop, stop.mustStop else { return }
        throw StoreError(.sqlite(SQLITE_INTERRUPT, "stopped"), at: path)
    }
}

extension StoreError {
    /// Whether a watch stopped the work.
    var isStop: Bool {
        if case .sqlite(SQLITE_INTERRUPT, _) = code { true } else { false }
    }
}
