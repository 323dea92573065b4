internal import CDivanStore

// What writes a whole database anew takes minutes where it is large: whoever began it may stop it.
extension Store {
    /// The watch of the copying on this thread.
    @TaskLocal static var stop: QueryWatch?

    /// Runs work that copies a database or changes its key, and lets a watch stop it.
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

    /// Ends the work where its watch says so.
    static func checkStop(at path: String) throws(StoreError) {
        guard let stop, stop.mustStop else { return }
        throw StoreError(.sqlite(SQLITE_INTERRUPT, "stopped"), at: path)
    }
}
