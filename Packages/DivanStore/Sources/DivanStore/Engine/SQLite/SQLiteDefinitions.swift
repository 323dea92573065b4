/// What the tables of a database file are, in the words that SQLite keeps of them.
///
/// SQLite believes its schema, which no checksum covers: where one bit makes `INTEGER PRIMARY KEY` another
/// type, every row is there and none is found, without an error. So the words are compared with
/// those that a Divan wrote. They differ in spaces, and in what versions added.
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

    /// A table with the dictionaries of packed bodies (`SQLiteDictionaries`); a number is never given again.
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
    /// The body stands last, so that a scan that does not want it never follows its overflow
    /// pages; it is text, so that SQLite's JSON functions read it.
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

    /// What some version has, or what a table that was found without its schema lacks.
    private static let optional = [
        ",uncheckedThroughINTEGERNOTNULLDEFAULT0", ",checksumINTEGER", ",UNIQUE(scope,name)",
        "AUTOINCREMENT", "UNIQUE",
    ]

    /// Refuses a file that misses a table, or whose tables are no longer what they were made as.
    static func verify(_ connection: SQLiteConnection) throws(StoreError) {
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

    /// How a table or an index of ours is made; `nil` for those that queries have made.
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

    /// A definition without spaces, and without what not every version has.
    private static func essence(of definition: String) -> String {
        let bare = String(definition.filter { !$0.isWhitespace })
        return optional.reduce(bare) { $0.replacing($1, with: "") }
    }
}
