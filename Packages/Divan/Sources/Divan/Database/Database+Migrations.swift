internal import DivanDatabase

extension Database {
    /// A change of the documents that runs once in each database; see `migrate(_:)`.
    public struct Migration: Sendable {
        /// The name under which the database records that it has run; do not change it later.
        public let name: String
        fileprivate let body: @Sendable (Transaction) throws -> Void

        /// Describes a migration.
        ///
        /// - Parameters:
        ///   - name: A name that no other migration of the program has.
        ///   - body: Changes documents, collections and indexes, in one transaction.
        public init(
            _ name: String,
            _ body: @escaping @Sendable (Transaction) throws -> Void
        ) {
            self.name = name
            self.body = body
        }
    }

    /// Runs those migrations that have not run in this database yet, in their order.
    ///
    /// Call it after opening, with all migrations that the program has ever had. They also run in a new database.
    ///
    /// ```swift
    /// try db.migrate([
    ///     .init("prices in cents") { _ in try countInCents(dishes) },
    ///     .init("index of prices") { _ in try dishes.createIndex("price", .value("cents")) },
    /// ])
    /// ```
    ///
    /// Each runs in a transaction of its own, which also records its name: if it fails, its changes are rolled back, and
    /// those of the migrations before it stay. The record belongs to this database: it is not synced, but dumps and copies
    /// contain it.
    ///
    /// - Parameter migrations: The migrations. New ones are added at the end; one that was inserted before others that
    ///   have run still runs.
    /// - Returns: The names of those that ran now.
    /// - Throws: ``DivanError/Code/unsupportedVersion``, before anything runs, if a migration has run that is not in the
    ///   list, because the database was opened by a newer program; `invalidArgument` for an empty name, one with a zero
    ///   byte, or two equal ones; `readOnly` if one must run; `notOpen`. What a migration throws becomes a ``DivanError``
    ///   whose place names the migration.
    @discardableResult
    public func migrate(_ migrations: [Migration]) throws -> [String] {
        try requireNames(of: migrations)
        var added: [String] = []
        for migration in try pending(migrations) where try run(migration) {
            added.append(migration.name)
        }
        return added
    }

    /// Runs migrations; see the synchronous form.
    ///
    /// Cancelling the task stops before the next migration.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func migrate(_ migrations: [Migration]) async throws -> [String] {
        try requireNames(of: migrations)
        var added: [String] = []
        let pending = try await Background.reading { try self.pending(migrations) }
        for migration in pending where try await writing({ try self.run(migration) }) {
            added.append(migration.name)
        }
        return added
    }

    /// The names of the migrations that have run in this database, in this order.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public var appliedMigrations: [String] {
        get throws {
            try DivanError.converting(place: place) { try store().read { try $0.migrations() } }
        }
    }

    /// The migrations that have not run.
    ///
    /// - Throws: ``DivanError/Code/unsupportedVersion`` if one has run that is not in the list.
    private func pending(_ migrations: [Migration]) throws -> [Migration] {
        let applied = try appliedMigrations
        let known = Set(migrations.map(\.name))
        if let unknown = applied.first(where: { !known.contains($0) }) {
            throw DivanError(
                .unsupportedVersion,
                place: place,
                problem:
                    "the migration \(unknown.debugDescription) has run, which this program does not have",
                remedy: "use the newer program that has it, or add it to the list"
            )
        }
        return migrations.filter { !applied.contains($0.name) }
    }

    /// Runs a migration, unless another thread was faster; returns whether it ran.
    private func run(_ migration: Migration) throws -> Bool {
        do {
            return try write { transaction in
                let applied = try appliedMigrations
                guard !applied.contains(migration.name) else { return false }
                try migration.body(transaction)
                try store().write { try $0.setMigrations(applied + [migration.name]) }
                return true
            }
        } catch {
            throw DivanError(error).placed(in: "migration \(migration.name.debugDescription)")
        }
    }

    private func requireNames(of migrations: [Migration]) throws {
        var names: Set<String> = []
        for name in migrations.map(\.name) {
            guard names.insert(name).inserted, !name.isEmpty, !name.utf8.contains(0) else {
                throw DivanError(
                    .invalidArgument,
                    place: place,
                    problem:
                        "two migrations have the name \(name.debugDescription), or it is invalid",
                    remedy: "give each migration its own name, without zero bytes"
                )
            }
        }
    }
}
