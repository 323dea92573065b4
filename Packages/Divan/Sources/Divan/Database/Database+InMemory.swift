extension Database {
    /// Creates an empty database in memory, which is gone once it is closed.
    ///
    /// For tests, previews and data that need not last. It does everything that a database in a directory does,
    /// including blobs, queries and replication, but has no ``path``; each call creates a new one, whatever its name.
    /// Memory use grows with its content. An addition to the official API.
    ///
    /// ```swift
    /// let database = try Database.inMemory()
    /// try database.defaultCollection().save(document: MutableDocument(id: "soup"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: Its name, shown to people and to the clients of a listener.
    ///   - config: Its settings; the directory and `fullSync` have no effect.
    /// - Returns: The database, open.
    /// - Throws: `CBLError.invalidParameter` for an empty name.
    public static func inMemory(
        name: String = "memory",
        config: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        // Names follow the same rules as with a directory.
        let location = try DatabaseLocation(name: name, directory: "/")
        return try Database(inMemory: location.name, config)
    }
}
