internal import DivanFullText
public import DivanJSON
public import DivanQuery
public import DivanSQL
public import DivanStorage
import Synchronization

/// The catalogue's record of an index: everything needed to drop it, to recreate it, and to
/// determine whether another one is the same.
///
/// It is stored among the small values, as JSON under the collection's number and the name, so it
/// changes in the same transaction as the index itself.
public struct IndexRecord: Equatable, Sendable {
    /// The name, unique in the collection.
    public let name: ExactText
    /// The kind of index.
    public let kind: StoredIndex.Kind
    /// The definition as it was written when the index was created.
    public let source: String
    /// The SQL statement that creates the index.
    public private(set) var create: String
    /// The SQL statement that drops the index, but not its tables.
    public let drop: String
    /// The tables that belong to the index.
    public private(set) var tables: [Table]
    /// The names of the columns of a full-text index in queries.
    public let columns: [ExactText]

    /// A table that belongs to an index.
    public struct Table: Equatable, Sendable {
        /// The name of the table.
        public let name: String
        /// The SQL statements that create and fill it, with its triggers.
        public fileprivate(set) var create: String
        /// The SQL statements that drop it.
        public let drop: String
        fileprivate(set) var verify: String
    }

    init(
        _ name: ExactText,
        _ kind: StoredIndex.Kind,
        source: String,
        _ translation: SQLIndexTranslation
    ) {
        self.name = name
        self.kind = kind
        self.source = source
        create = translation.create
        drop = translation.drop
        columns = translation.columns
        tables = translation.tables.map {
            Table(name: $0.name, create: $0.create, drop: $0.drop, verify: $0.verify)
        }
    }

    /// Translates the definition of an index to the statements that create and drop it.
    ///
    /// - Throws: `QueryError` for expressions that cannot be indexed.
    public init(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        source: String,
        of collection: CollectionID
    ) throws {
        let translation = try SQLIndexTranslation(
            definition,
            name: name,
            table: SQLiteSchema.table(collection),
            documents: .stored
        )
        self.init(name, definition.kind, source: source, translation)
    }

    /// What an index with an unreadable record may have in the file.
    public static func remains(
        of name: ExactText,
        in collection: CollectionID
    ) -> (drop: String, tables: [String]) {
        let table = SQLiteSchema.table(collection)
        let index = SQLIndexTranslation.indexName(of: name, on: table)
        let tables = [
            SQLIndexTranslation.wordTable(of: name, on: table),
            SQLIndexTranslation.vectorTable(of: name, on: table),
        ]
        return ("DROP INDEX IF EXISTS \(index);", tables)
    }

    /// What the index has in the file: its own name, and those of its tables.
    public func schemaNames(in collection: CollectionID) -> [String] {
        [SQLIndexTranslation.indexName(of: name, on: SQLiteSchema.table(collection))]
            + tables.map(\.name)
    }

    /// The same index with every function under its current name.
    public var renewed: IndexRecord {
        var record = self
        record.create = Self.renewed(create) ?? create
        record.tables = tables.map { table in
            var table = table
            table.create = Self.renewed(table.create) ?? table.create
            table.verify = Self.renewed(table.verify) ?? table.verify
            return table
        }
        return record
    }

    /// A text of the schema, or all of a record, with the present functions and tokenizer; `nil` if it has them.
    public static func renewed(_ sql: String) -> String? {
        let called = SQLIndexTranslation.renewed(sql)
        return FullText.renewed(called ?? sql) ?? called
    }

    /// Whether what the text of a record or of the schema creates depends on the version of Unicode.
    public static func dependsOnUnicode(_ sql: String) -> Bool {
        SQLIndexTranslation.dependsOnUnicode(sql) || FullText.normalizes(sql)
    }

    /// What it contains, as its statements say.
    public var content: SQLIndexContent {
        SQLIndexContent(create: create, tables: tables.map(\.create), documents: .stored)
    }

    /// The index without its statements.
    public var stored: StoredIndex {
        StoredIndex(name: name, kind: kind, source: source, tokenizer: content.tokenizer)
    }

    // MARK: Keeping

    /// The key of the record among the small values.
    public static func key(_ name: ExactText, in collection: CollectionID) -> String {
        StoredIndex.keyPrefix(in: collection) + name.text
    }

    /// The name in a key; `nil` for one of another collection.
    static func name(ofKey key: String, in collection: CollectionID) -> ExactText? {
        // Compared by bytes: a mark at the beginning of the name merges with the dot into one character.
        let prefix = StoredIndex.keyPrefix(in: collection)
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        return ExactText(String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }

    /// The record under a key; `nil` if it is one of another collection, or unreadable.
    init?(key: String, value: [UInt8], of collection: CollectionID) {
        guard let name = Self.name(ofKey: key, in: collection),
            let json = try? JSON(parsing: value),
            let kind = json["kind"]?.string.flatMap(StoredIndex.Kind.init(rawValue:)),
            let source = json["source"]?.string, let create = json["create"]?.string,
            let drop = json["drop"]?.string, let tables = json["tables"]?.array,
            let columns = json["columns"]?.array
        else { return nil }
        self.name = name
        self.kind = kind
        self.source = source
        self.create = create
        self.drop = drop
        self.columns = columns.compactMap { $0.string.map { ExactText($0) } }
        self.tables = tables.compactMap { table in
            guard let name = table["name"]?.string, let create = table["create"]?.string,
                let drop = table["drop"]?.string, let verify = table["verify"]?.string
            else { return nil }
            return Table(name: name, create: create, drop: drop, verify: verify)
        }
        // A skipped table or column is damage, too: the index would seem to lack it.
        guard self.value == value else { return nil }
    }

    /// The value to store: JSON.
    public var value: [UInt8] {
        let tables = tables.map { table in
            JSON.object([
                "name": .string(table.name), "create": .string(table.create),
                "drop": .string(table.drop), "verify": .string(table.verify),
            ])
        }
        let json = JSON.object([
            "kind": .string(kind.rawValue), "source": .string(source), "create": .string(create),
            "drop": .string(drop), "tables": .array(tables),
            "columns": .array(columns.map { .string($0.text) }),
        ])
        // Text and arrays of text are never rejected.
        return (try? json.canonicalBytes()) ?? []
    }
}

extension [IndexRecord] {
    /// The statements that create them.
    public var statements: [String] { tables.map(\.create) + map(\.create) }

    /// Their tables, each once, the outer ones first.
    public var tables: [IndexRecord.Table] {
        var tables: [IndexRecord.Table] = []
        for table in flatMap(\.tables) where !tables.contains(table) { tables.append(table) }
        return tables
    }
}

extension StorageSnapshot {
    /// The names of the indexes of a collection whose record cannot be read.
    public func damagedIndexNames(of collection: CollectionID) throws(StoreError) -> [ExactText] {
        try values(in: .indexes).compactMap { key, value in
            let isWhole = IndexRecord(key: key, value: value, of: collection) != nil
            return isWhole ? nil : IndexRecord.name(ofKey: key, in: collection)
        }
    }

    /// The indexes of a collection, by the bytes of their names.
    public func indexRecords(of collection: CollectionID) throws(StoreError) -> [IndexRecord] {
        try values(in: .indexes)
            .compactMap { IndexRecord.known(key: $0.key, value: $0.value, of: collection) }
    }
}

extension IndexRecord {
    private static let known = Mutex<[[UInt8]: IndexRecord]>([:])
    private static let knownCount = 256

    /// The same as `init(key:value:of:)`, but read once: each query asks for the indexes of its collections.
    fileprivate static func known(
        key: String,
        value: [UInt8],
        of collection: CollectionID
    ) -> IndexRecord? {
        guard let name = name(ofKey: key, in: collection) else { return nil }
        if let record = known.withLock({ $0[value] }), record.name == name { return record }
        let record = IndexRecord(key: key, value: value, of: collection)
        known.withLock { known in
            if known.count >= knownCount { known.removeAll() }
            known[value] = record
        }
        return record
    }
}

extension SQLDocumentColumns {
    /// The columns of the tables of documents (`SQLiteDefinitions.documents`).
    static let stored = SQLDocumentColumns(
        id: "documentID",
        sequence: "sequence",
        revision: "revisionID",
        revisionText: "divan_revision",
        flags: "flags",
        expiration: "expiration",
        body: "body"
    )
}
