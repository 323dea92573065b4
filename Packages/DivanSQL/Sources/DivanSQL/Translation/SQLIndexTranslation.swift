public import DivanJSON
public import DivanQuery

/// An index as statements for SQLite.
///
/// A value index is an SQLite index on expressions. An array index has a table of the items below its path, shared
/// by all indexes on that path and maintained by triggers, with an SQLite index on the items. A full-text index is
/// an FTS5 table, also maintained by triggers. Indexes do not contain deleted documents.
public struct SQLIndexTranslation: Sendable {
    /// Creates the tables that the index needs, the outer one first; with triggers and content.
    public let tables: [Table]
    /// Creates the index itself.
    public let create: String
    /// Deletes the index itself, but not its tables.
    public let drop: String

    /// The names of the columns of a full-text index in queries.
    public let columns: [ExactText]

    /// An additional table of an index.
    public struct Table: Hashable, Sendable {
        /// Its name in SQL.
        public let name: String
        /// Statements that create, fill and maintain it.
        public let create: String
        /// Statements that delete it.
        public let drop: String
        /// Selects 1 if its content is wrong.
        public let verify: String
    }

    /// Translates an index.
    ///
    /// - Parameters:
    ///   - definition: The definition.
    ///   - name: The name of the index.
    ///   - table: The table of the collection, as written in SQL.
    ///   - documents: The columns of that table.
    /// - Throws: `QueryError` if it contains a parameter, a subquery, an aggregate, a full-text condition, a
    ///   Unicode collation, which changes with the Unicode library, or local time.
    public init(
        _ definition: QueryIndexDefinition,
        name: ExactText,
        table: String,
        documents: SQLDocumentColumns
    ) throws(QueryError) {
        let index = Self.indexName(of: name, on: table)
        drop = "DROP INDEX IF EXISTS \(index);"
        columns =
            if case .fullText(let texts, _, _) = definition { texts.map(\.name) } else { [] }
        switch definition {
        case .predictive(let prediction, let outputs):
            let parts = outputs.map { CheckedKey(.member(of: prediction, $0)) }
            (tables, create) = try Self.predictive(prediction, parts, index, table, documents)
        case .value(let keys, let filter):
            try Self.check(keys.map(\.expression) + [filter].compactMap(\.self))
            if let prediction = try Self.prediction(of: keys, filter: filter) {
                (tables, create) = try Self.predictive(prediction, keys, index, table, documents)
                return
            }
            tables = []
            let writer = SQLIndexWriter(documents, itemSource: nil)
            // The flags show which documents are live, so that counting reads no document. As a
            // condition of the index they would make SQLite prefer it to a plain scan.
            let columns = "\(try writer.keys(keys)), \(documents.flags)"
            let condition = try filter.map { filter throws(QueryError) in
                " WHERE \(try writer.plain(filter))"
            }
            create = "CREATE INDEX \(index) ON \(table) (\(columns))\(condition ?? "");"
        case .array(let paths, let keys):
            try Self.check(keys.map(\.expression))
            tables = paths.indices.map { Self.items(of: table, Array(paths[...$0]), documents) }
            let writer = SQLIndexWriter(documents, itemSource: paths.count)
            let columns = keys.isEmpty ? "value" : try writer.keys(keys)
            let items = tables.last?.name ?? table
            create = "CREATE INDEX \(index) ON \(items) (\(columns));"
        case .fullText(let columns, let tokenizer, let filter):
            try Self.check(
                columns.map(\.expression) + [filter].compactMap(\.self),
                takesItems: true
            )
            let words = SQLIndexWriter(documents, itemSource: nil)
            let name = Self.wordTable(of: name, on: table)
            tables = [try Self.words(name, of: table, columns, tokenizer, filter, words)]
            create = ""
        case .vector(let vector, let options):
            try Self.check([vector], takesItems: true)
            let vectors = Self.vectorTable(of: name, on: table)
            tables = [try SQLVectorIndex(vectors, of: table, documents, vector, options).made()]
            create = ""
        }
    }

    /// Refuses expressions that need a sub-query, which SQLite allows in no index, that fail for each document, or that
    /// may change while the document does not: saving it would not find its entry, which is damage.
    static func check(
        _ expressions: [CheckedExpression],
        takesItems: Bool = false
    ) throws(QueryError) {
        var rest = expressions
        while let expression = rest.popLast() {
            if case .call(let function, let arguments, _) = expression, arguments.count > 1,
                [.trim, .leftTrim, .rightTrim].contains(function)
            {
                throw QueryError("TRIM with two arguments is not supported")
            }
            if case .quantified = expression, !takesItems {
                throw QueryError(
                    "a value index cannot use ANY or EVERY; write 'x' IN list, or create an array"
                        + " index"
                )
            }
            if let problem = instability(of: expression) { throw QueryError(problem) }
            rest += expression.children
        }
    }

    /// Why an expression may change its value while the document does not.
    private static func instability(of expression: CheckedExpression) -> String? {
        switch expression {
        case .call(let function, _, _) where function.dependsOnLocalTime:
            "an index cannot use \(function.rawValue)(), which depends on the local time zone;"
                + " index the property itself (UTC dates sort as text), or store milliseconds"
        case .comparison(_, _, _, let collation), .between(_, _, _, let collation),
            .isOneOf(_, _, let collation), .isItem(_, of: _, let collation),
            .like(_, _, let collation), .choice(_, _, otherwise: _, let collation),
            .call(.contains, _, let collation):
            collation.isUnicode ? "an index cannot use a Unicode collation" : nil
        default: nil
        }
    }

    /// The current form of a statement that creates an index or its tables; `nil` if it is already
    /// current.
    ///
    /// Otherwise the meaning of a function has changed, and the index must be recreated.
    public static func renewed(_ sql: String) -> String? { SQLSchemaText.renewed(sql) }

    /// Whether a statement that creates an index or its tables calls functions that depend on the Unicode library
    /// (letters, their case, white space): another version may look for a document with another key than the stored
    /// one.
    public static func dependsOnUnicode(_ sql: String) -> Bool {
        SQLSchemaText.dependsOnUnicode(sql)
    }

    /// The start of the option of a full-text table that names its tokenizer.
    static let tokenizerOption = "tokenize = '"

    /// The name of the table with the items below a path.
    public static func itemTable(of table: String, _ paths: [QueryPath]) -> String {
        let steps = paths.map { spelled($0.storedPath) }.joined(separator: "_in_")
        return "\(table)_items_\(steps)"
    }

    /// The name of the table with the words of a full-text index.
    public static func wordTable(of name: ExactText, on table: String) -> String {
        "\(table)_words_\(spelled(name.text))"
    }

    /// The SQL name of an index.
    public static func indexName(of name: ExactText, on table: String) -> String {
        "\(table)_by_\(spelled(name.text))"
    }

    /// The path of a table of items, as written for `divan index make --array`.
    public static func shownPath(ofItemTable name: String, of table: String) -> String {
        let steps = name.dropFirst("\(table)_items_".count).split(separator: "_in_")
        let paths = steps.map { step in
            // Between quotes, without the first dot.
            let path = unspelled(step).utf8.dropFirst().dropLast()
            let dots = path.first == UInt8(ascii: ".") ? 1 : 0
            return String(decoding: path.dropFirst(dots), as: UTF8.self)
        }
        return paths.joined(separator: "[].")
    }

    static func unspelled(_ digits: Substring) -> String {
        var (bytes, high) = ([UInt8](), UInt8?.none)
        for digit in digits {
            let value = UInt8(truncatingIfNeeded: digit.hexDigitValue ?? 0)
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes any text in letters and digits: two hexadecimal digits for each byte.
    static func spelled(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }

    private static func words(
        _ name: String,
        of table: String,
        _ columns: [QueryIndexDefinition.FullTextColumn],
        _ tokenizer: String,
        _ filter: CheckedExpression?,
        _ writer: SQLIndexWriter
    ) throws(QueryError) -> Table {
        let documents = writer.documents
        let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        var texts: [String] = []
        for column in columns {
            let call = SQLFunction[.indexText].stored
            texts.append("\(call)(\(try writer.exact(column.expression)))")
        }
        var condition = documents.isLive()
        if let filter { condition += " AND \(try writer.plain(filter))" }
        func rows(_ source: String) -> String {
            "INSERT INTO \(name) (rowid, \(names))"
                + " SELECT \(documents.sequence), \(texts.joined(separator: ", "))"
                + " FROM \(source) WHERE \(condition);"
        }
        let create = """
            CREATE VIRTUAL TABLE \(name) USING fts5(\(names), \(tokenizerOption)\(tokenizer)');
            \(rows(table))
            \(triggers(of: name, key: "rowid", on: table, documents, texts + [condition], rows))
            """
        let verify = """
            SELECT (SELECT count(*) FROM \(name))
                <> (SELECT count(*) FROM \(table) WHERE \(condition))
            """
        return Table(name: name, create: create, drop: drop(table: name), verify: verify)
    }

    /// The triggers that keep one row for each document with one, which `rows` inserts from a source; files contain
    /// this text.
    static func triggers(
        of name: String,
        key: String,
        on table: String,
        _ documents: SQLDocumentColumns,
        _ expressions: [String],
        _ rows: (String) -> String
    ) -> String {
        let new = documents.all.map { "NEW.\($0) AS \($0)" }.joined(separator: ", ")
        let insert = rows("(SELECT \(new))")
        let remove = "DELETE FROM \(name) WHERE \(key) = OLD.\(documents.sequence);"
        // Setting an expiration makes no new revision.
        let isTimed = expressions.contains { $0.contains(documents.expiration) }
        let time = isTimed ? "\(documents.expiration), " : ""
        let seen = "\(documents.sequence), \(documents.flags), \(time)\(documents.body)"
        return """
            CREATE TRIGGER \(name)_insert AFTER INSERT ON \(table) BEGIN \(insert) END;
            CREATE TRIGGER \(name)_delete AFTER DELETE ON \(table) BEGIN \(remove) END;
            CREATE TRIGGER \(name)_update AFTER UPDATE OF \(seen) ON \(table)
            BEGIN \(remove) \(insert) END;
            """
    }

    private static func items(
        of table: String,
        _ paths: [QueryPath],
        _ documents: SQLDocumentColumns
    ) -> Table {
        let name = itemTable(of: table, paths)
        let isOuter = paths.count == 1
        let owner = isOuter ? table : itemTable(of: table, Array(paths.dropLast()))
        let path = (paths.last ?? QueryPath()).storedPath
        let key = isOuter ? documents.sequence : "id"
        func items(_ row: String) -> String {
            let container =
                isOuter
                ? "\(SQLFunction[.result].stored)(\(row).\(documents.body), \(path))"
                : "\(SQLFunction[.memberResult].stored)(\(row).result, \(path))"
            let tables = row == "o" ? "\(owner) AS o, " : ""
            let condition = isOuter ? " WHERE \(documents.isLive("\(row)."))" : ""
            return "SELECT \(row).\(key), i.value, i.result, i.isAlone"
                + " FROM \(tables)divan_items1(\(container)) AS i\(condition)"
        }
        func rows(_ row: String) -> String {
            "INSERT INTO \(name) (owner, value, result, isAlone) \(items(row));"
        }
        let verify = """
            SELECT (SELECT count(*) FROM \(name)) <> (SELECT count(*) FROM (\(items("o"))))
                OR EXISTS (SELECT owner, value, result, isAlone FROM \(name) EXCEPT \(items("o")))
            """
        let remove = "DELETE FROM \(name) WHERE owner = OLD.\(key);"
        var create = """
            CREATE TABLE \(name) (
                id INTEGER PRIMARY KEY,
                owner INTEGER NOT NULL,
                value,
                result,
                isAlone INTEGER NOT NULL
            );
            \(rows("o"))
            CREATE INDEX \(name)_owner ON \(name) (owner);
            CREATE TRIGGER \(name)_insert AFTER INSERT ON \(owner) BEGIN \(rows("NEW")) END;
            CREATE TRIGGER \(name)_delete AFTER DELETE ON \(owner) BEGIN \(remove) END;
            """
        if isOuter {
            let seen = "\(documents.sequence), \(documents.flags), \(documents.body)"
            create += """
                CREATE TRIGGER \(name)_update AFTER UPDATE OF \(seen) ON \(owner)
                BEGIN \(remove) \(rows("NEW")) END;
                """
        }
        return Table(name: name, create: create, drop: drop(table: name), verify: verify)
    }

    /// Deletes a table of items or words and its triggers; files contain this text.
    static func drop(table name: String) -> String {
        """
        DROP TRIGGER IF EXISTS \(name)_insert;
        DROP TRIGGER IF EXISTS \(name)_delete;
        DROP TRIGGER IF EXISTS \(name)_update;
        DROP TABLE IF EXISTS \(name);
        """
    }

    /// Deletes a table of items, words or vectors, its triggers, and the tables that belong to it.
    public static func dropAll(of name: String) -> String {
        """
        \(drop(table: name))
        DROP VIEW IF EXISTS \(name)_documents;
        DROP TABLE IF EXISTS \(name)_blocks;
        DROP TABLE IF EXISTS \(name)_parts;
        DROP TABLE IF EXISTS \(name)_pending;
        """
    }
}

/// Writes the expressions of an index: no table names, no parameters, literals as literals.
struct SQLIndexWriter {
    private struct NoSchema: SQLSchema {
        let documentColumns: SQLDocumentColumns
        func table(of collection: QueryCollection) throws -> String {
            throw QueryError("an index cannot contain a subquery")
        }
        func fullTextTable(
            _ index: ExactText,
            in collection: QueryCollection
        ) throws -> SQLFullTextTable {
            throw QueryError("an index cannot contain a full-text condition")
        }
    }

    private let expressions: SQLExpressionWriter<NoSchema>

    var documents: SQLDocumentColumns { expressions.documents }

    /// The number of the source that is a table of items; `nil` if documents are indexed.
    ///
    /// - Parameters:
    ///   - documents: The columns of the table of documents.
    ///   - itemSource: That number.
    ///   - predictions: The columns with the output of models.
    init(
        _ documents: SQLDocumentColumns,
        itemSource: Int?,
        predictions: [CheckedExpression: String] = [:]
    ) {
        var sources = [CheckedSource(.documents(.standard))]
        for number in 0..<(itemSource ?? 0) {
            sources.append(CheckedSource(.items(source: number, path: QueryPath())))
        }
        expressions = SQLExpressionWriter(
            statement: CheckedStatement(columns: [], sources: sources),
            schema: NoSchema(documentColumns: documents),
            name: nil,
            extraction: nil,
            predictions: predictions
        )
    }

    func plain(_ expression: CheckedExpression) throws(QueryError) -> String {
        try text { try expressions.write(expression, .plain, to: &$0) }
    }

    func exact(_ expression: CheckedExpression) throws(QueryError) -> String {
        try text { try expressions.write(expression, .exact, to: &$0) }
    }

    /// A key without its collation.
    func expression(of key: CheckedKey) throws(QueryError) -> String {
        try text { try expressions.write(indexed: key.expression, to: &$0) }
    }

    func keys(_ keys: [CheckedKey]) throws(QueryError) -> String {
        for key in keys where key.collation.isUnicode {
            throw QueryError("an index cannot use a Unicode collation")
        }
        return try text { text in
            try text.list(keys) { text, key in
                try expressions.write(indexed: key.expression, to: &text)
                expressions.write(key.collation, to: &text)
            }
        }
    }

    private func text(_ write: (inout SQLText) throws -> Void) throws(QueryError) -> String {
        var text = SQLText(isSchema: true)
        do {
            try write(&text)
        } catch {
            throw error as? QueryError ?? QueryError("\(error)")
        }
        if let problem = text.problem { throw QueryError(problem) }
        return text.text
    }
}
