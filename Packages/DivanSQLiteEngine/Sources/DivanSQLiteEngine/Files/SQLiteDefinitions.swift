internal import DivanSQLite
internal import DivanStorage

/// The definitions of a database file's tables, as SQLite stores them.
///
/// SQLite trusts its schema, which no checksum covers: if a single bit turns `INTEGER PRIMARY KEY` into
/// another type, every row is there and none is found, without an error. So the definitions are compared
/// with those that Divan writes. They differ in spaces, and in what versions added.
enum SQLiteDefinitions {
    static let collections = """
        CREATE TABLE collections (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            scope TEXT NOT NULL,
            name TEXT NOT NULL,
            lastSequence INTEGER NOT NULL,
            liveCount INTEGER NOT NULL,
            uncheckedThrough INTEGER NOT NULL DEFAULT 0,
            checksum INTEGER,
            UNIQUE (scope, name)
        )
        """

    static let values = """
        CREATE TABLE "values" (
            space TEXT NOT NULL,
            key TEXT NOT NULL,
            value BLOB NOT NULL,
            checksum INTEGER,
            PRIMARY KEY (space, key)
        ) WITHOUT ROWID
        """

    /// A table with the dictionaries of packed bodies (`SQLiteDictionaries`); numbers are never reused.
    static func dictionaries(_ table: String) -> String {
        """
        CREATE TABLE \(table) (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            value BLOB NOT NULL,
            checksum INTEGER
        )
        """
    }

    /// The table of a collection.
    ///
    /// The body is the last column, so that a scan that does not need it never follows its overflow
    /// pages; it is text, so that SQLite's JSON functions can read it.
    static func documents(_ table: String) -> String {
        """
        CREATE TABLE \(table) (
            sequence INTEGER PRIMARY KEY,
            documentID TEXT NOT NULL UNIQUE,
            revisionID BLOB NOT NULL,
            flags INTEGER NOT NULL,
            expiration INTEGER,
            tree NOT NULL,
            bodyByteCount INTEGER NOT NULL,
            checksum INTEGER,
            body TEXT NOT NULL
        )
        """
    }

    static func conflicted(_ table: String) -> String {
        """
        CREATE INDEX \(table)_conflicted ON \(table) (sequence)
            WHERE \(SQLiteSchema.isConflicted)
        """
    }

    static func expirations(_ table: String) -> String {
        """
        CREATE INDEX \(table)_expiration ON \(table) (expiration)
            WHERE expiration IS NOT NULL
        """
    }

    /// What some versions have, or what a table that was found without its schema lacks.
    private static let optional = [
        ",uncheckedThroughINTEGERNOTNULLDEFAULT0", ",checksumINTEGER", ",UNIQUE(scope,name)",
        "AUTOINCREMENT", "UNIQUE",
    ]

    /// Rejects a file that lacks a table, or whose tables are not as they were created.
    static func verify(_ connection: StoreConnection) throws(StoreError) {
        let list = try connection.prepare("SELECT name, sql FROM sqlite_schema WHERE sql <> ''")
        var missing: Set = ["collections", "values"]
        while try list.step() {
            let name = list.text(0)
            missing.remove(name)
            guard let definition = definition(of: name) else { continue }
            let found = list.text(1)
            guard found == definition || essence(of: found) == essence(of: definition) else {
                throw StoreError(
                    .corrupt("the definition of \(name) is damaged"),
                    at: connection.path
                )
            }
        }
        guard missing.isEmpty else {
            throw StoreError(.corrupt("tables are missing"), at: connection.path)
        }
    }

    /// How a table or index of ours is defined; `nil` for those created for queries.
    private static func definition(of name: String) -> String? {
        switch name {
        case "collections": return collections
        case "values": return values
        case let table where SQLiteBodies.dictionaryTables.contains(table):
            return dictionaries(table)
        default:
            let parts = name.split(separator: "_", maxSplits: 2)
            guard parts.count >= 2, parts[0] == "docs", Int64(parts[1]) != nil else { return nil }
            let table = "docs_\(parts[1])"
            guard parts.count == 3 else { return documents(table) }
            return switch parts[2] {
            case "conflicted": conflicted(table)
            case "expiration": expirations(table)
            default: nil
            }
        }
    }

    /// A definition without spaces, and without what only some versions have.
    private static func essence(of definition: String) -> String {
        let bare = String(definition.filter { !$0.isWhitespace })
        return optional.reduce(bare) { $0.replacing($1, with: "") }
    }
}
