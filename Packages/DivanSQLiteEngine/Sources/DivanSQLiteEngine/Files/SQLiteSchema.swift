internal import DivanSQLite
internal import DivanStorage

/// The tables of a database file, and the marks that identify it.
public enum SQLiteSchema {
    /// `user_version`: raised when an older Divan could no longer read the file.
    ///
    /// 2: a row may hold the counters of its collection, and old bodies may be packed. A file of
    /// version 1 is read as it is and upgraded when it is opened for writing. 3: what remotes have may
    /// be stored apart from the rows (`KnownSequences`). 4: each row has a checksum, which those of an
    /// older file get when they are stored again or the database is compacted. 5: revisions are named
    /// by version vectors (`StorageFormat`); a database with trees stays at 4. 6: bodies may be packed
    /// (`PackedBody`), with trees or vectors; a database where no collection ever requested that stays
    /// at 4 or 5.
    static let version = StorageFormat.trees.rawValue
    /// The greatest version that can be read.
    static let greatestVersion = StorageFormat.packed.rawValue
    /// The first version with checksums.
    static let checksumVersion: Int64 = 4
    /// Bytes of a page in a new file; one that exists keeps its own.
    ///
    /// Documents of a kilobyte fill two thirds of a page of 4,096 (decision 0030).
    static let pageByteCount = 8_192
    /// `application_id`: "Divn".
    public static let applicationID: Int64 = 0x4469_766E

    /// Creates the tables in a new, empty database file.
    static func create(on connection: StoreConnection) throws(StoreError) {
        try connection.execute(
            """
            PRAGMA page_size = \(pageByteCount);
            PRAGMA journal_mode = WAL;
            BEGIN IMMEDIATE;
            \(SQLiteDefinitions.collections);
            \(SQLiteDefinitions.values);
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            COMMIT;
            """
        )
    }

    /// Rejects files that are not ours, that are newer, or whose tables are not as they should be.
    static func verify(_ connection: StoreConnection) throws(StoreError) {
        let owner = try connection.integer("PRAGMA application_id") ?? 0
        guard owner == applicationID else {
            throw StoreError(
                .notADatabase("an SQLite database of another application"),
                at: connection.path
            )
        }
        let found = Int(clamping: try connection.integer("PRAGMA user_version") ?? 0)
        guard found <= greatestVersion else {
            throw StoreError(
                .tooNew(version: found, supported: greatestVersion),
                at: connection.path
            )
        }
        guard found >= 1 else {
            throw StoreError(.corrupt("invalid version"), at: connection.path)
        }
        try SQLiteDefinitions.verify(connection)
    }

    /// The table of a collection.
    ///
    /// Numbered, because SQLite's names ignore case and ours do not.
    static func table(_ collection: CollectionID) -> String {
        "docs_\(collection.rawValue)"
    }

    /// Selects the names of the tables that belong to indexes of a collection (`SQLIndexTranslation`).
    static func indexTables(of collection: CollectionID) -> String {
        let table = table(collection)
        return """
            SELECT name FROM sqlite_schema WHERE type = 'table'
                AND (name GLOB '\(table)_items_*' OR name GLOB '\(table)_words_*'
                    AND sql GLOB 'CREATE VIRTUAL*'
                    OR name GLOB '\(table)_vectors_*' AND name NOT GLOB '*_parts'
                    AND name NOT GLOB '*_pending' AND name NOT GLOB '*_blocks')
            """
    }

    /// Selects the names of the indexes that users created on a collection and its items.
    static func madeIndexes(of collection: CollectionID) -> String {
        """
        SELECT name FROM sqlite_schema
        WHERE type = 'index' AND name GLOB '\(table(collection))_by_*'
        """
    }

    /// Selects the names of the indexes that every collection has by itself.
    static func ownIndexes(of collection: CollectionID) -> String {
        let table = table(collection)
        return """
            SELECT name FROM sqlite_schema WHERE type = 'index' AND name IN (
                'sqlite_autoindex_\(table)_1', '\(table)_conflicted', '\(table)_expiration')
            """
    }

    /// Selects the names of the triggers by which other tables follow a collection.
    static func triggers(of collection: CollectionID) -> String {
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '\(table(collection))'"
    }

    /// Selects 1 if any collection has a user's index, or a table that belongs to one.
    static let anyIndex = """
        SELECT 1 FROM sqlite_schema WHERE name GLOB 'docs_*_by_*' OR name GLOB 'docs_*_items_*'
            OR name GLOB 'docs_*_words_*' OR name GLOB 'docs_*_vectors_*' LIMIT 1
        """

    /// Creates the table of a collection.
    static func createTable(_ collection: CollectionID) -> String {
        let table = table(collection)
        return """
            \(SQLiteDefinitions.documents(table));
            \(SQLiteDefinitions.conflicted(table));
            \(SQLiteDefinitions.expirations(table));
            """
    }

    /// Bits of the column `flags` that are flags.
    ///
    /// The higher bits hold 1 + the number of live documents in the collection when the row was
    /// stored. So a commit that stores documents writes no page for the counters alone: the row
    /// with the greatest sequence has them, unless those in `collections` are as late. 0 means
    /// unknown.
    static let flagsBitCount: Int64 = 8

    /// The column `flags` of a row that holds the collection's counters.
    static func flags(_ flags: DocumentFlags, liveCount: Int) -> Int64 {
        Int64(flags.rawValue) | (Int64(clamping: liveCount) &+ 1) << flagsBitCount
    }

    /// The file's version: rows have checksums from `checksumVersion` on, which is always the case unless
    /// an older file is read as it is.
    static func version(of connection: StoreConnection) throws(StoreError) -> Int64 {
        try connection.integer("PRAGMA user_version") ?? 0
    }

    /// Upgrades a verified file of an older version to this version, in one step or not at all.
    ///
    /// No document is read: adding a column changes no row, whatever the size of the file.
    static func migrate(_ connection: StoreConnection) throws(StoreError) {
        guard let found = try connection.integer("PRAGMA user_version"), found < version
        else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            if found < checksumVersion { try addChecksums(connection) }
            try connection.execute("PRAGMA user_version = \(version); COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private static func addChecksums(_ connection: StoreConnection) throws(StoreError) {
        try connection.execute(
            """
            ALTER TABLE collections ADD COLUMN uncheckedThrough INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE collections ADD COLUMN checksum INTEGER;
            ALTER TABLE "values" ADD COLUMN checksum INTEGER;
            UPDATE "values" SET checksum = \(valueChecksum);
            """
        )
        let list = try connection.prepare("SELECT id FROM collections")
        var collections: [CollectionID] = []
        while try list.step() { collections.append(CollectionID(rawValue: list.integer(0))) }
        for collection in collections {
            let table = table(collection)
            try connection.execute(
                """
                ALTER TABLE \(table) ADD COLUMN checksum INTEGER;
                UPDATE collections
                SET uncheckedThrough = (SELECT ifnull(max(sequence), 0) FROM \(table))
                WHERE id = \(collection.rawValue);
                """
            )
        }
        try connection.execute("UPDATE collections SET checksum = \(collectionChecksum)")
    }

    /// The checksum of a row of `collections`.
    static let collectionChecksum =
        "divan_checksum(id, scope, name, lastSequence, liveCount, uncheckedThrough)"
    /// The checksum of a row of `values`.
    static let valueChecksum = "divan_checksum(space, key, value)"
    /// The columns of a document's row in the order of `divan_row`, body and checksum last.
    static let columns =
        "sequence, documentID, revisionID, flags, expiration, tree, bodyByteCount, body, checksum"

    /// Gives the rows of an older file their checksums, in one transaction per collection.
    static func completeChecksums(_ connection: StoreConnection) throws(StoreError) {
        let list = try connection.prepare("SELECT id FROM collections WHERE uncheckedThrough > 0")
        var collections: [CollectionID] = []
        while try list.step() { collections.append(CollectionID(rawValue: list.integer(0))) }
        list.reset()
        for collection in collections {
            let id = collection.rawValue
            try connection.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                try connection.execute(
                    """
                    UPDATE \(table(collection)) SET checksum = divan_row_checksum(
                        sequence, documentID, revisionID, flags, expiration, tree, bodyByteCount,
                        body)
                    WHERE checksum IS NULL
                        AND sequence <= (SELECT uncheckedThrough FROM collections WHERE id = \(id));
                    UPDATE collections SET uncheckedThrough = 0, checksum =
                        divan_checksum(id, scope, name, lastSequence, liveCount, 0)
                    WHERE id = \(id);
                    COMMIT;
                    """
                )
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
    }

    /// True for rows in conflict; the index is used only for exactly this text.
    static let isConflicted = "flags & \(DocumentFlags.conflicted.rawValue) <> 0"
}
