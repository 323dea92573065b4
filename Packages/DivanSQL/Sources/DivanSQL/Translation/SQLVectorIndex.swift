public import DivanJSON
public import DivanQuery

/// The tables and triggers of a vector index.
///
/// - The main table has a row for each vector. Its number is the sequence at which the document got this vector; the
///   owner is the sequence of the document now. A save that leaves the vector unchanged changes the owner only.
///   `vector` has the floats of a new vector, and of each vector of a lazy index; NULL means that they are read from
///   the document.
/// - `…_blocks` has the codes of the vectors that the store moved into cells, many per row. Codes whose vector was
///   removed stay until there are many.
/// - `…_parts` has the parameters (0), and what the store needs for searches (1 and more).
/// - `…_pending`, only for lazy indexes, has the documents whose vectors are to be computed.
/// - `…_documents` is a view of the vectors in the documents, for the store's functions.
struct SQLVectorIndex {
    private let name: String
    private let table: String
    private let documents: SQLDocumentColumns
    private let options: QueryVectorOptions
    /// The value from which a vector is made, in exact form.
    private let value: String
    private let vector: String

    init(
        _ name: String,
        of table: String,
        _ documents: SQLDocumentColumns,
        _ vector: CheckedExpression,
        _ options: QueryVectorOptions
    ) throws(QueryError) {
        self.name = name
        self.table = table
        self.documents = documents
        self.options = options
        value = try SQLIndexWriter(documents, itemSource: nil).exact(vector)
        // Setting it makes no new revision, by which vectors are numbered.
        guard !vector.readsExpiration else {
            throw QueryError("a vector index must not depend on META().expiration")
        }
        self.vector = "\(SQLFunction[.vector].stored)(\(value), \(options.dimensions))"
    }

    func made() -> SQLIndexTranslation.Table {
        SQLIndexTranslation.Table(
            name: name,
            create: tables + (options.isLazy ? lazyUpkeep : upkeep),
            drop: SQLIndexTranslation.dropAll(of: name),
            verify: options.isLazy ? strayRows : wrongRows
        )
    }

    private var tables: String {
        """
        CREATE TABLE \(name) (
            number INTEGER PRIMARY KEY,
            owner INTEGER NOT NULL,
            vector BLOB
        );
        CREATE INDEX \(name)_owner ON \(name) (owner) WHERE owner <> number;
        CREATE TABLE \(name)_blocks (id INTEGER PRIMARY KEY, entries BLOB NOT NULL);
        CREATE TABLE \(name)_parts (number INTEGER PRIMARY KEY, value BLOB NOT NULL);
        INSERT INTO \(name)_parts VALUES (0, '\(options.json)');
        CREATE VIEW \(name)_documents AS SELECT \(sequence) AS owner, \(vector) AS vector
            FROM \(table) WHERE \(documents.isLive());

        """
    }

    private func rows(
        _ source: String,
        keeping kept: String = "vector",
        where condition: String = ""
    ) -> String {
        "INSERT INTO \(name) (number, owner, vector) SELECT owner, owner, \(kept)"
            + " FROM (SELECT \(sequence) AS owner, \(vector) AS vector FROM \(source)"
            + " WHERE \(documents.isLive())\(condition) LIMIT -1) WHERE vector IS NOT NULL;"
    }

    /// Keeps no floats of so many documents that the first query trains the index.
    private var firstRows: String {
        let count = options.minimumTrainingCount
        let some = "(SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(count)))"
        return rows(table, keeping: "CASE WHEN \(some) < \(count) THEN vector END")
    }

    private var sequence: String { documents.sequence }

    /// The columns whose change may change a vector.
    private var seen: String { "\(sequence), \(documents.flags), \(documents.body)" }

    /// The condition of rows with a value to make a vector from.
    private var hasValue: String { "\(documents.isLive()) AND \(value) IS NOT NULL" }

    /// The conditions that together find the vector of the old row, each by an index.
    private var old: [String] {
        let owner = "owner = OLD.\(sequence)"
        return ["number = OLD.\(sequence) AND \(owner)", "\(owner) AND owner <> number"]
    }

    private func remove(where condition: String = "") -> String {
        old.map { "DELETE FROM \(name) WHERE \($0)\(condition);" }.joined(separator: " ")
    }

    private func move(where condition: String = "") -> String {
        old.map { "UPDATE \(name) SET owner = NEW.\(sequence) WHERE \($0)\(condition);" }
            .joined(separator: " ")
    }

    private var upkeep: String {
        let (old, new) = (row("OLD"), row("NEW"))
        let isSame =
            "\(documents.isLive("NEW."))"
            + " AND (SELECT \(value) FROM \(old)) IS (SELECT \(value) FROM \(new))"
        // A row that stays in its place keeps its vector unless it has another one.
        let isOther = "(OLD.\(sequence) <> NEW.\(sequence) OR NOT (\(isSame)))"
        let owner = "owner = NEW.\(sequence)"
        let isKept = "EXISTS (SELECT 1 FROM \(name) WHERE number = NEW.\(sequence) AND \(owner))"
        let isMoved = "EXISTS (SELECT 1 FROM \(name) WHERE \(owner) AND owner <> number)"
        // A save that leaves the vector unchanged leaves it in its cell, so the last statement has nothing to do.
        return """
            \(firstRows)
            CREATE TRIGGER \(name)_insert AFTER INSERT ON \(table) BEGIN \(rows(new)) END;
            CREATE TRIGGER \(name)_delete AFTER DELETE ON \(table) BEGIN \(remove()) END;
            CREATE TRIGGER \(name)_update AFTER UPDATE OF \(seen) ON \(table)
            BEGIN
                \(move(where: " AND \(isSame)"))
                \(remove(where: " AND \(isOther)"))
                \(rows(new, where: " AND NOT \(isKept) AND NOT \(isMoved)"))
            END;
            """
    }

    private var lazyUpkeep: String {
        let pending = "\(name)_pending"
        func note(_ source: String) -> String {
            "INSERT INTO \(pending) SELECT \(sequence) FROM \(source) WHERE \(hasValue);"
        }
        let new = row("NEW")
        let hasNewValue = "EXISTS (SELECT 1 FROM \(new) WHERE \(hasValue))"
        let forget = "DELETE FROM \(pending) WHERE owner = OLD.\(sequence);"
        return """
            CREATE TABLE \(pending) (owner INTEGER PRIMARY KEY);
            \(note(table))
            CREATE TRIGGER \(name)_insert AFTER INSERT ON \(table) BEGIN \(note(new)) END;
            CREATE TRIGGER \(name)_delete AFTER DELETE ON \(table) BEGIN \(remove()) \(forget) END;
            CREATE TRIGGER \(name)_update AFTER UPDATE OF \(seen) ON \(table)
            BEGIN
                \(move(where: " AND \(hasNewValue)"))
                \(remove(where: " AND (OLD.\(sequence) <> NEW.\(sequence) OR NOT \(hasNewValue))"))
                \(forget) \(note(new))
            END;
            """
    }

    /// A row as a table.
    private func row(_ prefix: String) -> String {
        let columns = documents.all.map { "\(prefix).\($0) AS \($0)" }
        return "(SELECT \(columns.joined(separator: ", ")))"
    }

    /// Selects 1 if a row belongs to no document, or its code is not in the block of its cell.
    private var strayRows: String {
        """
        SELECT EXISTS (SELECT 1 FROM \(name) WHERE owner NOT IN
            (SELECT \(sequence) FROM \(table) WHERE \(documents.isLive())))
            OR (SELECT value FROM \(name)_parts WHERE number = 0) IS NOT '\(options.json)'
            OR NOT divan_is_placed1('\(name)')
        """
    }

    /// Selects 1 if the rows are not those of the documents with vectors.
    private var wrongRows: String {
        """
        \(strayRows)
            OR (SELECT count(DISTINCT owner) FROM \(name)) <> (SELECT count(*) FROM \(name)_documents
                WHERE vector IS NOT NULL)
            OR EXISTS (SELECT 1 FROM \(name) AS v LEFT JOIN \(name)_documents AS d USING (owner)
                WHERE d.vector IS NULL OR v.vector <> d.vector)
        """
    }
}

extension CheckedExpression {
    fileprivate var readsExpiration: Bool {
        switch self {
        case .metadata(_, .expiration), .allMetadata: true
        default: children.contains(where: \.readsExpiration)
        }
    }
}

/// How queries use the tables of a vector index.
enum SQLVectors {
    /// The name of the index's table in a query.
    static func alias(_ name: String?, _ search: Int) -> String { "\(name ?? "")n\(search)" }

    /// The name of the candidates in a query.
    static func candidates(_ name: String?, _ search: Int) -> String { "\(name ?? "")k\(search)" }
}

/// The table of a vector index.
///
/// A query calls `divan_nearest1` and `divan_vector_distance1`, which the caller adds to the connection, since they
/// read the parts of the index.
public struct SQLVectorTable: Hashable, Sendable {
    /// Its name in SQL.
    public let name: String
    /// The parameters of the index.
    public let options: QueryVectorOptions

    /// Creates a description of a table.
    public init(name: String, options: QueryVectorOptions) {
        self.name = name
        self.options = options
    }
}

extension SQLSchema {
    /// None.
    public func vectorTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLVectorTable {
        throw QueryError("no vector index is named \(index)", code: .missingIndex)
    }

    func vectorTable(
        of search: CheckedVectorSearch,
        in statement: CheckedStatement
    ) throws -> SQLVectorTable {
        guard case .documents(let collection) = statement.sources[search.source].form else {
            throw QueryError("a vector search needs a collection")
        }
        return try vectorTable(search.index, in: collection)
    }
}

extension SQLIndexTranslation {
    /// The name of the table of a vector index.
    public static func vectorTable(of name: ExactText, on table: String) -> String {
        "\(table)_vectors_\(spelled(name.text))"
    }
}

extension SQLExpressionWriter {
    /// Writes the distance of a row.
    func writeDistance(_ number: Int, to text: inout SQLText) throws {
        let search = statement.vectorSearches[number]
        let alias = SQLVectors.alias(name, number)
        if let extraction {
            text += extraction.name(of: .vectorDistance(number), .plain)
            return
        }
        let options = try schema.vectorTable(of: search, in: statement).options
        text += "divan_vector_distance1('\(options.metric.rawValue)', \(options.dimensions), "
        try write(vector: search.target, options, to: &text)
        if options.isLazy {
            text += ", \(alias).vector)"
        } else {
            text += ", coalesce(\(alias).vector, "
            try write(vector: search.vector, options, to: &text)
            text += "))"
        }
    }

    /// Writes the floats of a value; MISSING if it is no vector.
    func write(
        vector: CheckedExpression,
        _ options: QueryVectorOptions,
        to text: inout SQLText
    ) throws {
        text.call(.vector)
        try write(vector, .exact, to: &text)
        text += ", \(options.dimensions))"
    }

    /// Writes the condition by which the documents of the nearest vectors are found.
    func writeNearestTie(_ number: Int, to text: inout SQLText) {
        let row = prefix(statement.vectorSearches[number].source)
        text += " ON \(row)\(documents.sequence) = \(SQLVectors.candidates(name, number)).value"
    }

    /// Joins the tables of the vectors of a source.
    func writeVectors(of source: Int, to text: inout SQLText) throws {
        for (number, search) in statement.vectorSearches.enumerated()
        where search.source == source {
            let table = try schema.vectorTable(of: search, in: statement)
            let alias = SQLVectors.alias(name, number)
            let owner = "\(prefix(source))\(documents.sequence)"
            let moved =
                "SELECT number FROM \(table.name) WHERE owner = \(owner) AND owner <> number"
            text += " JOIN \(table.name) AS \(alias) ON \(alias).owner = \(owner)"
            text += " AND \(alias).number = coalesce((\(moved)), \(owner))"
        }
    }
}
