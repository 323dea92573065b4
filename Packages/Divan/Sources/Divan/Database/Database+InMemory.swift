extension Database {
    /// Creates an empty database that lives in memory, and is gone when it is closed.
    ///
    /// For tests, previews and what need not last. It does all that a database in a directory does,
    /// blobs, queries and replication among it, and has no ``path``; each call makes another one,
    /// whatever its name. Memory grows with its content. An addition to the official API.
    ///
    /// ```swift
    /// let database = try Database.inMemory()
    /// try database.defaultCollection().save(document: MutableDocument(id: "soup"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: Its name, for people, and for the clients of a listener.
    ///   - config: Its settings; the directory and `fullSync` have no meaning.
    /// - Returns: The database, open.
    /// - Throws: `CBLError.invalidParameter` for an empty name.
    public static func inMemory(
        name: String = "memory",
        config: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        // The same rules for names as for those with a directory.
        let location = try DatabaseLocation(name: name, directory: "/")
        return try Database(inMemory: location.name, config)
    }
}
