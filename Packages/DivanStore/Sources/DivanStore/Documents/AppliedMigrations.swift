private let migrationsKey = "migrations"

// The migrations of an application that have run in this database; they are not replicated.
extension StoreReader {
    /// The names of the migrations that have run, in this order.
    public func migrations() throws(StoreError) -> [String] {
        (try metadata(migrationsKey) ?? []).split(separator: 0).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

extension StoreWriter {
    /// Records which migrations have run.
    ///
    /// - Parameter names: All of them, none empty or with a zero byte.
    /// - Throws: I/O errors.
    public func setMigrations(_ names: [String]) throws(StoreError) {
        try setMetadata(
            migrationsKey,
            names.isEmpty ? nil : Array(names.joined(separator: "\0").utf8)
        )
    }
}
