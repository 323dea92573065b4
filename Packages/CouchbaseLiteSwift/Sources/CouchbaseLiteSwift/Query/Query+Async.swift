extension Query {
    /// Returns the current rows, and all rows again each time a commit changes them, for `for try await`.
    ///
    /// A slow consumer skips outdated results and gets the newest rows. Ends when the database closes or you leave the
    /// loop; throws if the query fails. An addition to the official API.
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

    /// Runs the query on the database's own thread, for `async` code.
    ///
    /// - Throws: The same errors as `execute()`. An addition to the official API.
    public func results() async throws -> ResultSet {
        try await core.database.inBackground { try self.execute() }
    }
}
