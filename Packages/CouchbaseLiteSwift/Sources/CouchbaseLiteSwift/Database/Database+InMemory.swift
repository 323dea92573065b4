extension Database {
    /// Creates an empty in-memory database, which is discarded when it is closed.
    ///
    /// For tests, previews and temporary data. It supports everything that a database on disk supports, including
    /// blobs, queries and replication, but has no ``path``. Each call creates a new database, even with the same name.
    /// Memory use grows with its content. An addition to the official API.
    ///
    /// ```swift
    /// let database = try Database.inMemory()
    /// try database.defaultCollection().save(document: MutableDocument(id: "soup"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: Its name, also for the clients of a listener.
    ///   - config: Its settings; the directory and `fullSync` have no effect.
    /// - Returns: The database, open.
    /// - Throws: `CBLError.invalidParameter` for an empty name or an invalid codec; `CBLError.cantOpenFile` if a custom
    ///   engine fails.
    public static func inMemory(
        name: String = "memory",
        config: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        // Names follow the same rules as with a directory.
        let location = try DatabaseLocation(name: name, directory: "/")
        return try Database(inMemory: location.name, config)
    }
}
