internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

/// The dictionaries of packed bodies, each of which is stored in two tables.
///
/// Without its dictionary no body of a collection can be read, so a single damaged page must not be
/// enough to lose it. A reader gets an intact one; a compaction rewrites the other. They are not stored
/// in `values`, as SQLite compares keys of that table with everything around them: damage to a dictionary
/// there would make it impossible to open the database.
struct SQLiteDictionaries {
    /// In the order in which they are created and read.
    static let tables = SQLiteBodies.dictionaryTables

    private let connection: StoreConnection

    init(on connection: StoreConnection) {
        self.connection = connection
    }

    /// Whether the tables exist; they are created with the first dictionary.
    private var isThere: Bool {
        get throws(StoreError) {
            let names = Self.tables.map { "'\($0)'" }.joined(separator: ", ")
            return try connection.integer(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))"
            ) == Int64(Self.tables.count)
        }
    }

    /// Stores a dictionary under a number.
    func keep(_ dictionary: StoredDictionary, as number: UInt64) throws(StoreError) {
        if !(try isThere) {
            for table in Self.tables {
                try connection.execute(SQLiteDefinitions.dictionaries(table))
            }
        }
        for table in Self.tables {
            let statement = try connection.prepare(
                """
                INSERT OR REPLACE INTO \(table) (number, value, checksum)
                VALUES (?1, ?2, divan_checksum(?1, ?2))
                """
            )
            try statement.bind(Int64(clamping: number), at: 1)
            try statement.bind(dictionary.value, at: 2)
            try statement.run()
        }
    }

    /// Removes a dictionary that no row refers to.
    func remove(_ number: UInt64) throws(StoreError) {
        for table in Self.tables {
            let statement = try connection.prepare("DELETE FROM \(table) WHERE number = ?1")
            try statement.bind(Int64(clamping: number), at: 1)
            try statement.run()
        }
    }

    /// Removes those of a collection that is being deleted.
    func removeAll(of collection: CollectionID) throws(StoreError) {
        for number in try byteCounts()[collection, default: [:]].keys { try remove(number) }
    }

    /// A number that no dictionary of this database ever had, since connections keep dictionaries by number.
    func nextNumber() throws(StoreError) -> UInt64 {
        let given = try connection.integer(
            "SELECT max(seq) FROM sqlite_sequence WHERE name = 'dictionaries'"
        )
        // A damaged counter must not return the number of an existing dictionary.
        let greatest = max(UInt64(clamping: given ?? 0), try numbers().max() ?? 0)
        guard greatest < UInt64(Int64.max) else {
            throw StoreError(.corrupt("invalid dictionary number"), at: connection.path)
        }
        return greatest + 1
    }

    /// Every number under which something is stored, intact or not.
    private func numbers() throws(StoreError) -> Set<UInt64> {
        guard try isThere else { return [] }
        var numbers: Set<UInt64> = []
        var isOneDamaged = false
        for table in Self.tables {
            do throws(StoreError) {
                let texts = try connection.texts("SELECT CAST(number AS TEXT) FROM \(table)")
                numbers.formUnion(texts.compactMap { UInt64($0) })
            } catch {
                // The other table has them, too.
                guard error.isDamage, !isOneDamaged else { throw error }
                isOneDamaged = true
            }
        }
        return numbers
    }

    /// Bytes of the intact ones by the collection that they name, and by number.
    func byteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]] {
        var counts: [CollectionID: [UInt64: Int]] = [:]
        for number in try numbers() {
            guard let sound = connection.bodies.sound(number) else { continue }
            counts[sound.collection, default: [:]][number] = sound.content.count
        }
        return counts
    }

    /// Rewrites those that are damaged or missing in one of the tables.
    func restore() throws(StoreError) {
        for number in try numbers() {
            let stored = connection.bodies.stored(number)
            let sound = stored.compactMap(\.self)
            guard sound.count < stored.count, let dictionary = sound.first else { continue }
            try keep(dictionary, as: number)
        }
    }

    /// One sentence for each that is damaged or missing in one of the tables, or in both.
    func damages() throws(StoreError) -> [String] {
        try numbers().sorted().flatMap { number -> [String] in
            switch connection.bodies.stored(number).map({ $0 != nil }) {
            case [true, true]: []
            case [false, false]:
                ["dictionary \(number) and its copy: bodies compressed with it cannot be read"]
            case [true, false]: ["the copy of dictionary \(number): compacting recreates it"]
            default: ["dictionary \(number): compacting recreates it"]
            }
        }
    }
}
