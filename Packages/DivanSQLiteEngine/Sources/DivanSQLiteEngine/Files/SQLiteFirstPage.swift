import DivanPlatform
internal import DivanRevisions
internal import DivanSQLite
public import DivanStorage

/// Gives a copy of a database file another first page, so that SQLite finds the tables that the old one
/// listed.
///
/// No other page can replace the first one: with it, the identifying marks of the file and the schema,
/// which says where tables begin, are lost. But it is known which tables exist, and their rows
/// distinguish them. A root is used if what is left of the schema names it, or if no other is possible;
/// each row must still match its checksum. Only for plain files: a sealed page that was changed opens
/// as a whole or not at all, together with its neighbours.
public struct SQLiteFirstPage {
    private let path: String
    private let map: SQLitePageMap
    /// What is left of the schema.
    private let schema: [[UInt8]]
    private let identity: [(key: String, expression: String)]

    /// Copies a file with its log and gives the copy a new first page.
    ///
    /// - Parameters:
    ///   - source: The damaged file.
    ///   - path: Where the copy is made.
    ///   - identity: The values that identify a database with version vectors, as SQL expressions.
    /// - Returns: A line for each collection whose documents cannot be told from others; `nil` if
    ///   the pages do not reveal enough.
    /// - Throws: What the medium reports, and what SQLite reports about the copy.
    public static func remake(
        _ source: String,
        at path: String,
        identity: [(key: String, expression: String)]
    ) throws(StoreError) -> [String]? {
        try copyWithLog(source, to: path)
        let old = try exchangeFirst(of: path)
        let connection = try StoreConnection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        // The log contained the page.
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 2 else { return [] }
        let map = try SQLitePageMap(of: path)
        let page = SQLiteFirstPage(
            path: path,
            map: map,
            schema: [old] + map.schemaPages,
            identity: identity
        )
        return try page.nameTables()
    }

    // MARK: The page

    /// The schema of a database with nothing but the tables that every database has, without their
    /// indexes, which a salvage does not need.
    private static let tables = """
        CREATE TABLE collections (id INTEGER PRIMARY KEY, scope TEXT NOT NULL,
            name TEXT NOT NULL, lastSequence INTEGER NOT NULL, liveCount INTEGER NOT NULL,
            uncheckedThrough INTEGER NOT NULL DEFAULT 0, checksum INTEGER);
        \(SQLiteDefinitions.values);
        """

    private static func documents(_ name: String, bodyIsLast: Bool) -> String {
        let (checksum, body) = ("checksum INTEGER", "body TEXT NOT NULL")
        let ending = bodyIsLast ? [checksum, body] : [body, checksum]
        return """
            CREATE TABLE \(name) (sequence INTEGER PRIMARY KEY, documentID TEXT NOT NULL,
                revisionID BLOB NOT NULL, flags INTEGER NOT NULL, expiration INTEGER,
                tree NOT NULL, bodyByteCount INTEGER NOT NULL, \(ending.joined(separator: ", ")))
            """
    }

    /// Replaces the first page by a new one, and returns the old one.
    private static func exchangeFirst(of path: String) throws(StoreError) -> [UInt8] {
        let descriptor = try StoreFiles.open(path, [.readWrite, .closeOnExec, .noFollow])
        defer { descriptor.close() }
        let byteCount = StoreFiles.byteCount(path)
        let pageByteCount = SQLitePageMap.pageByteCount(of: descriptor, byteCount)
        let old = SQLitePageMap.page(1, of: descriptor, pageByteCount)
        let told = Int64(old.number(at: 60))
        let known = SQLiteSchema.checksumVersion...Int64(SQLiteSchema.greatestVersion)
        let version = known.contains(told) ? told : Int64(SQLiteSchema.version)
        var page = try template(version: version, pageByteCount, path)
        let pageCount = byteCount / pageByteCount
        // Marks the page count as valid, and no page as free.
        for (place, value) in [(24, 1), (28, pageCount), (32, 0), (36, 0), (92, 1)] {
            page.write(value, byteCount: 4, at: place)
        }
        try write(page[...], to: descriptor, at: 0, of: path)
        return old
    }

    /// The first page of a database without rows.
    private static func template(
        version: Int64,
        _ pageByteCount: Int,
        _ path: String
    ) throws(StoreError) -> [UInt8] {
        let path = path + "-template"
        do {
            let connection = try StoreConnection(path: path, mode: .create)
            try connection.execute(
                """
                PRAGMA page_size = \(pageByteCount);
                \(tables)
                PRAGMA application_id = \(SQLiteSchema.applicationID);
                PRAGMA user_version = \(version);
                PRAGMA journal_mode = WAL;
                """
            )
        }
        let descriptor = try StoreFiles.open(path, [.readOnly, .closeOnExec, .noFollow])
        defer { descriptor.close() }
        return SQLitePageMap.page(1, of: descriptor, pageByteCount)
    }

    // MARK: The schema

    private func nameTables() throws(StoreError) -> [String]? {
        guard let collections = root(of: "collections", .collections) else { return nil }
        let values = root(of: "values", .values)
        try edit(
            """
            UPDATE sqlite_schema SET rootpage = \(collections.number) WHERE name = 'collections';
            UPDATE sqlite_schema SET rootpage = \(values?.number ?? 0) WHERE name = 'values';
            DELETE FROM sqlite_schema WHERE rootpage = 0;
            """
        )
        let names = try collectionNames()
        let found = documentRoots(of: names.keys.sorted())
        for (id, root) in found {
            guard case .documents(let bodyIsLast) = root.table else { continue }
            let name = SQLiteSchema.table(CollectionID(rawValue: id))
            try edit(
                """
                INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (
                    'table', '\(name)', '\(name)', \(root.number),
                    '\(Self.documents(name, bodyIsLast: bodyIsLast))');
                """
            )
        }
        try nameDictionaries()
        // What was not found is left empty.
        let connection = try StoreConnection(path: path, mode: .readWrite)
        if values == nil || !Self.canRead("\"values\"", of: connection) {
            try edit("DELETE FROM sqlite_schema WHERE name = 'values'")
            try nameScheme(found.keys.sorted())
        }
        var losses: [String] = []
        for (id, name) in names.sorted(by: { $0.key < $1.key }) where found[id] == nil {
            let table = SQLiteSchema.table(CollectionID(rawValue: id))
            try connection.execute(Self.documents(table, bodyIsLast: true))
            losses.append("collection \(name): its pages cannot be identified")
        }
        return losses
    }

    /// Whether every page of a table can be read and is valid.
    private static func canRead(_ table: String, of connection: StoreConnection) -> Bool {
        do throws(StoreError) {
            _ = try connection.integer("SELECT sum(length(value) + checksum) FROM \(table)")
            return true
        } catch {
            return false
        }
    }

    /// Creates the table of small values, which say how revisions are named; rows reveal that, too.
    private func nameScheme(_ ids: [Int64]) throws(StoreError) {
        let connection = try StoreConnection(path: path, mode: .readWrite)
        try connection.execute(SQLiteDefinitions.values)
        guard ids.contains(where: { Self.hasVersions($0, on: connection) }) else { return }
        let space = "'\(ValueSpace.database.rawValue)'"
        for (key, value) in identity {
            try connection.execute(
                """
                INSERT INTO "values" (space, key, value) VALUES (\(space), '\(key)', \(value))
                """
            )
        }
        try connection.execute(#"UPDATE "values" SET checksum = \#(SQLiteSchema.valueChecksum)"#)
    }

    private static func hasVersions(_ id: Int64, on connection: StoreConnection) -> Bool {
        let table = SQLiteSchema.table(CollectionID(rawValue: id))
        do throws(StoreError) {
            let rows = try connection.prepare("SELECT revisionID FROM \(table)")
            while try rows.step() {
                let isVersion = rows.withBytes(0) { RevisionID(encoded: $0.span)?.isVersion }
                if isVersion == true { return true }
            }
        } catch {
            // What follows cannot be read, and reveals nothing.
        }
        return false
    }

    /// Those two tables have the same rows: if nothing is left of the schema, either may be the other.
    private func nameDictionaries() throws(StoreError) {
        var candidates = map.roots.filter { $0.table == .dictionaries }
        for name in SQLiteDictionaries.tables {
            let named = schema.flatMap { SQLitePageMap.roots(ofTablesNamed: name, in: $0) }
                .filter { $0.name == name }.map { $0.1 }
            let place = candidates.firstIndex { named.contains($0.number) }
            guard let place = place ?? candidates.indices.first else { continue }
            let root = candidates.remove(at: place)
            // The counter of the numbers is lost with the schema.
            let sql = SQLiteDefinitions.dictionaries(name).replacing(" AUTOINCREMENT", with: "")
            try edit(
                """
                INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
                VALUES ('table', '\(name)', '\(name)', \(root.number), '\(sql)');
                """
            )
        }
    }

    /// Changes the schema; the next connection to the file reads it again.
    private func edit(_ sql: String) throws(StoreError) {
        let connection = try StoreConnection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA writable_schema = ON; \(sql)")
    }

    /// The collections that can be read, by number.
    private func collectionNames() throws(StoreError) -> [Int64: String] {
        let connection = try StoreConnection(path: path, mode: .readWrite)
        let statement = try connection.prepare("SELECT id, scope || '.' || name FROM collections")
        var names: [Int64: String] = [:]
        while (try? statement.step()) ?? false { names[statement.integer(0)] = statement.text(1) }
        return names
    }

    private func root(of name: String, _ table: SQLitePage.Table) -> SQLitePageMap.Root? {
        let named = schema.flatMap { SQLitePageMap.roots(ofTablesNamed: name, in: $0) }
        let proven = Set(named.map { $0.1 }).compactMap { map.root(at: $0) }
            .filter { $0.table == table }
        guard proven.count != 1 else { return proven.first }
        return SQLitePageMap.only(map.roots.filter { $0.table == table })
    }

    /// The roots of document tables by the number of their collection.
    private func documentRoots(of ids: [Int64]) -> [Int64: SQLitePageMap.Root] {
        let named = schema.flatMap { SQLitePageMap.roots(ofTablesNamed: "docs_", in: $0) }
        var found: [Int64: SQLitePageMap.Root] = [:]
        for id in ids {
            let name = SQLiteSchema.table(CollectionID(rawValue: id))
            let proven = Set(named.filter { $0.name == name }.map { $0.1 })
                .compactMap { map.root(at: $0) }.filter(\.table.isDocuments)
            if proven.count == 1 { found[id] = proven.first }
        }
        let taken = Set(found.values.map(\.number))
        let candidates = map.roots.filter { $0.table.isDocuments && !taken.contains($0.number) }
        let rest = ids.filter { found[$0] == nil }
        if rest.count == 1, let only = SQLitePageMap.only(candidates) { found[rest[0]] = only }
        return found
    }

    // MARK: The copy

    static func copyWithLog(_ source: String, to target: String) throws(StoreError) {
        try copy(source, to: target)
        if StoreFiles.exists(source + "-wal") { try copy(source + "-wal", to: target + "-wal") }
    }

    /// Copies a file; a page that the disk cannot read becomes zeros.
    private static func copy(_ source: String, to target: String) throws(StoreError) {
        let from = try StoreFiles.open(source, [.readOnly, .closeOnExec, .noFollow])
        defer { from.close() }
        guard let to = try StoreFiles.makeFile(target) else {
            throw StoreError(.alreadyExists, at: target)
        }
        defer { to.close() }
        let byteCount = StoreFiles.byteCount(source)
        var piece = [UInt8](repeating: 0, count: SQLiteSchema.pageByteCount)
        var place = 0
        while place < byteCount {
            let wanted = min(piece.count, byteCount - place)
            let count = piece.withUnsafeMutableBytes { room in
                try? from.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]),
                    at: place
                )
            }
            if count ?? 0 < wanted { piece = [UInt8](repeating: 0, count: piece.count) }
            try write(piece[..<wanted], to: to, at: place, of: target)
            place += wanted
        }
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>,
        to file: FileDescriptor,
        at place: Int,
        of path: String
    ) throws(StoreError) {
        let count = try StoreError.wrapping(
            bytes.span.withUnsafeBytes { bytes throws(SystemError) in
                try file.write(bytes, at: place)
            },
            at: path
        )
        guard count == bytes.count else { throw .system(.ioError, at: path) }
    }
}
