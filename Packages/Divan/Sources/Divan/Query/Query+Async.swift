extension Query {
    /// The rows now, and again whenever a commit has changed them, for `for try await`.
    ///
    /// When the consumer is slow it misses what is out of date: the newest rows wait. Ends when the
    /// database closes or the loop is left; throws when the query fails. An addition to the official
    /// API.
    ///
    /// ```swift
    /// for try await change in query.changes() { show(change.results?.allResults() ?? []) }
    /// ```
    public func changes() -> AsyncThrowingStream<QueryChange, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let live = LiveQuery(self, ended: { continuation.finish() }) { _, change in
                if let error = change.error {
                    continuation.finish(throwing: error)
                } else {
                    continuation.yield(change)
                }
            }
            continuation.onTermination = { _ in live.end() }
            live.start()
        }
    }

    /// Runs the query on a thread of the database's own, for `async` code.
    ///
    /// - Throws: As `execute()`. An addition to the official API.
    public func results() async throws -> ResultSet {
        try await core.database.inBackground { try self.execute() }
    }
}
