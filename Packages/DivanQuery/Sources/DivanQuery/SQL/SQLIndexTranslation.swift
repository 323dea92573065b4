public import DivanJSON

/// An index as statements for SQLite.
///
/// A value index is one of SQLite's over expressions. An array index has a table of the items
/// below its path, shared by all indexes on that path and kept by triggers, with an index of
/// SQLite's over the items. A full-text index is a table of FTS5, kept by triggers too. All leave
/// deleted documents out.
public struct SQLIndexTranslation: Sendable {
    /// Makes the tables that the index needs, the outer one first; with triggers and content.
    public let tables: [Table]
    /// Makes the index itself.
    public let create: String
    /// Removes the index itself, not its tables.
    public let drop: String

    /// What queries call the columns of a full-text index.
    public let columns: [ExactText]

    /// A table beside that of the documents.
    public struct Table: Hashable, Sendable {
        /// Its name in SQL.
        public let name: String
        /// Statements that make it, fill it and keep it.
        public let create: String
        /// Statements that remove it.
        public let drop: String
        /// Selects 1 where it has not what it should have.
        public let verify: String
    }

    /// Translates an index.
    ///
    /// - Parameters:
    ///   - definition: What it holds.
    ///   - name: The name that users gave.
    ///   - table: The table of the collection, as it is written in SQL.
    /// - Throws: `QueryError` for a parameter, a sub-query, an aggregate or full text in it, and
    ///   for order by Unicode, which changes with the library that knows it, and for local time.
    public init(
        _ definition: QueryIndexDefinition,
        name: ExactText,
        table: String
    ) throws(QueryError) {
        let index = Self.indexName(of: name, on: table)
        drop = "DROP INDEX IF EXISTS \(index);"
        if case .fullText(let columns, _, _) = definition {
            self.columns = columns.map(\.name)
        } else {
            columns = []
        }
        switch definition {
        case .value(let keys, let filter):
            try Self.check(keys.map(\.expression) + [filter].compactMap(\.self))
            tables = []
            let writer = SQLIndexWriter(itemSource: nil)
            // The flags tell which documents are live, so that counting reads no document. As a
            // condition of the index they would let SQLite prefer it to a plain scan.
            let columns = "\(try writer.keys(keys)), flags"
            let condition = try filter.map { filter throws(QueryError) in
                " WHERE \(try writer.plain(filter))"
            }
            create = "CREATE INDEX \(index) ON \(table) (\(columns))\(condition ?? "");"
        case .array(let paths, let keys):
            try Self.check(keys.map(\.expression))
            tables = paths.indices.map { Self.items(of: table, Array(paths[...$0])) }
            let writer = SQLIndexWriter(itemSource: paths.count)
            let columns = keys.isEmpty ? "value" : try writer.keys(keys)
            let items = tables.last?.name ?? table
            create = "CREATE INDEX \(index) ON \(items) (\(columns));"
        case .fullText(let columns, let tokenizer, let filter):
            try Self.check(
                columns.map(\.expression) + [filter].compactMap(\.self),
                takesItems: true
            )
            let words = Self.wordTable(of: name, on: table)
            tables = [try Self.words(words, of: table, columns, tokenizer, filter)]
            create = ""
        }
    }

    /// Refuses what needs a sub-query, which SQLite takes in no index, what fails for each document, and what
    /// may change while a document does not: its entry would not be found when it is saved, which is damage.
    private static func check(
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
                    "an index of values has no ANY and no EVERY; write 'x' IN list, or index the items of"
                        + " the array"
                )
            }
            if let problem = instability(of: expression) { throw QueryError(problem) }
            rest += expression.children
        }
    }

    /// Why an expression may have another value for the same document.
    private static func instability(of expression: CheckedExpression) -> String? {
        switch expression {
        case .call(let function, _, _) where function.dependsOnLocalTime:
            "an index cannot have \(function.rawValue)(), which depends on the time zone of this machine; index"
                + " the property, whose dates sort as text where all are in UTC, or keep milliseconds"
        case .comparison(_, _, _, let collation), .between(_, _, _, let collation),
            .isOneOf(_, _, let collation), .isItem(_, of: _, let collation),
            .like(_, _, let collation), .choice(_, _, otherwise: _, let collation),
            .call(.contains, _, let collation):
            collation.isUnicode ? "an index cannot be in Unicode order" : nil
        default: nil
        }
    }

    /// A statement that makes an index, or its tables, as it would be written today; `nil` where that is how it
    /// stands.
    ///
    /// Otherwise a function means something else since: the index has to be made anew.
    public static func renewed(_ sql: String) -> String? { SQLFunctionName.renewed(sql) }

    /// Whether a statement that makes an index, or its tables, calls what knows letters, their case, or white
    /// space, which changes with the library that knows Unicode: in another version the function may look for a
    /// document under another key than the one that it once gave.
    public static func dependsOnUnicode(_ sql: String) -> Bool {
        SQLFunctionName.dependsOnUnicode(sql)
    }

    /// The name of the table that has the items below a path.
    public static func itemTable(of table: String, _ paths: [QueryPath]) -> String {
        let steps = paths.map { spelled($0.storedPath) }.joined(separator: "_in_")
        return "\(table)_items_\(steps)"
    }

    /// The name of the table that has the words of a full-text index.
    public static func wordTable(of name: ExactText, on table: String) -> String {
        "\(table)_words_\(spelled(name.text))"
    }

    /// What an index that a user named is called in SQL.
    public static func indexName(of name: ExactText, on table: String) -> String {
        "\(table)_by_\(spelled(name.text))"
    }

    /// What a key of an index is in SQL; `nil` for what none can have.
    static func column(_ key: CheckedKey) -> String? {
        try? SQLIndexWriter(itemSource: nil).keys([key])
    }

    /// A column of an index without its collation: the expression alone.
    public static func expression(ofColumn column: String) -> String {
        // The only one that an index can have.
        let collation: StaticString = " COLLATE \"NOCASE\""
        return column.ends(with: collation)
            ? column.dropping(0, collation.utf8CodeUnitCount) : column
    }

    /// The columns of an index, out of the statement that makes it.
    public static func columns(of create: String) -> [String] {
        // Between the parentheses behind the table's name; commas inside others divide nothing.
        guard let start = create.firstRange(of: " (") else { return [] }
        // By scalars, since a literal may begin with a mark that makes one character with its quote.
        var (columns, column) = ([String](), String.UnicodeScalarView())
        var (depth, isQuoted) = (0, false)
        for scalar in create[start.upperBound...].unicodeScalars {
            if scalar == "'" { isQuoted.toggle() }
            if !isQuoted, depth == 0, scalar == "," || scalar == ")" {
                columns.append(String(column))
                column = String.UnicodeScalarView()
                if scalar == ")" { return columns }
                continue
            }
            if !isQuoted, scalar == "(" { depth += 1 }
            if !isQuoted, scalar == ")" { depth -= 1 }
            if column.isEmpty, scalar == " " { continue }
            column.append(scalar)
        }
        return []
    }

    /// The path of a table of items, as it is written for `divan index make --array`.
    public static func shownPath(ofItemTable name: String, of table: String) -> String {
        let steps = name.dropping("\(table)_items_".utf8.count).split(separator: "_in_")
        let paths = steps.map { step in
            // Between quotes, the first dot left out.
            let path = unspelled(step).dropping(1, 1)
            return path.begins(with: ".") ? path.dropping(1) : path
        }
        return paths.joined(separator: "[].")
    }

    private static func unspelled(_ digits: Substring) -> String {
        var (bytes, high) = ([UInt8](), UInt8?.none)
        for digit in digits {
            let value = UInt8(truncatingIfNeeded: digit.hexDigitValue ?? 0)
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Letters and digits of any text: two hexadecimal digits for each byte.
    private static func spelled(_ text: String) -> String {
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
        _ filter: CheckedExpression?
    ) throws(QueryError) -> Table {
        let writer = SQLIndexWriter(itemSource: nil)
        let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        var texts: [String] = []
        for column in columns {
            let call = SQLFunctionName.current("divan_index_text", inSchema: true)
            texts.append("\(call)(\(try writer.exact(column.expression)))")
        }
        var condition = "flags & 1 = 0"
        if let filter { condition += " AND \(try writer.plain(filter))" }
        func rows(_ source: String) -> String {
            "INSERT INTO \(name) (rowid, \(names))"
                + " SELECT sequence, \(texts.joined(separator: ", "))"
                + " FROM \(source) WHERE \(condition);"
        }
        let fields = ["sequence", "documentID", "revisionID", "flags", "expiration", "body"]
        let new = fields.map { "NEW.\($0) AS \($0)" }.joined(separator: ", ")
        let insert = rows("(SELECT \(new))")
        let remove = "DELETE FROM \(name) WHERE rowid = OLD.sequence;"
        // An expiration is set without a new revision.
        let isTimed = (texts + [condition]).contains { $0.contains("expiration") }
        let seen = "sequence, flags, \(isTimed ? "expiration, " : "")body"
        let create = """
            CREATE VIRTUAL TABLE \(name) USING fts5(\(names), tokenize = '\(tokenizer)');
            \(rows(table))
            CREATE TRIGGER \(name)_insert AFTER INSERT ON \(table) BEGIN \(insert) END;
            CREATE TRIGGER \(name)_delete AFTER DELETE ON \(table) BEGIN \(remove) END;
            CREATE TRIGGER \(name)_update AFTER UPDATE OF \(seen) ON \(table)
            BEGIN \(remove) \(insert) END;
            """
        let verify = """
            SELECT (SELECT count(*) FROM \(name))
                <> (SELECT count(*) FROM \(table) WHERE \(condition))
            """
        return Table(name: name, create: create, drop: drop(table: name), verify: verify)
    }

    private static func items(of table: String, _ paths: [QueryPath]) -> Table {
        let name = itemTable(of: table, paths)
        let isOuter = paths.count == 1
        let owner = isOuter ? table : itemTable(of: table, Array(paths.dropLast()))
        let path = (paths.last ?? QueryPath()).storedPath
        func items(_ row: String) -> String {
            let container =
                isOuter
                ? "divan_result1(\(row).body, \(path))"
                : "divan_member_result1(\(row).result, \(path))"
            let key = isOuter ? "\(row).sequence" : "\(row).id"
            let tables = row == "o" ? "\(owner) AS o, " : ""
            return
                "SELECT \(key), i.value, i.result, i.isAlone"
                + " FROM \(tables)divan_items1(\(container)) AS i"
                + (isOuter ? " WHERE \(row).flags & 1 = 0" : "")
        }
        func rows(_ row: String) -> String {
            "INSERT INTO \(name) (owner, value, result, isAlone) \(items(row));"
        }
        let verify = """
            SELECT (SELECT count(*) FROM \(name)) <> (SELECT count(*) FROM (\(items("o"))))
                OR EXISTS (SELECT owner, value, result, isAlone FROM \(name) EXCEPT \(items("o")))
            """
        let key = isOuter ? "OLD.sequence" : "OLD.id"
        let remove = "DELETE FROM \(name) WHERE owner = \(key);"
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
            create += """
                CREATE TRIGGER \(name)_update AFTER UPDATE OF sequence, flags, body ON \(owner)
                BEGIN \(remove) \(rows("NEW")) END;
                """
        }
        return Table(name: name, create: create, drop: drop(table: name), verify: verify)
    }

    /// Removes a table of items or of words, and what keeps it.
    public static func drop(table name: String) -> String {
        """
        DROP TRIGGER IF EXISTS \(name)_insert;
        DROP TRIGGER IF EXISTS \(name)_delete;
        DROP TRIGGER IF EXISTS \(name)_update;
        DROP TABLE IF EXISTS \(name);
        """
    }
}

/// Writes the expressions of an index: no table names, no parameters, literals as literals.
private struct SQLIndexWriter {
    private struct NoSchema: SQLSchema {
        func table(of collection: QueryCollection) throws -> String {
            throw QueryError("an index has no sub-query")
        }
        func fullTextTable(
            _ index: ExactText,
            in collection: QueryCollection
        ) throws -> SQLFullTextTable {
            throw QueryError("an index has no full-text condition")
        }
    }

    private let expressions: SQLExpressionWriter<NoSchema>

    /// The number of the source that is a table of items; without one, documents are indexed.
    init(itemSource: Int?) {
        var sources = [CheckedSource(.documents(.standard))]
        for number in 0..<(itemSource ?? 0) {
            sources.append(CheckedSource(.items(source: number, path: QueryPath())))
        }
        expressions = SQLExpressionWriter(
            statement: CheckedStatement(columns: [], sources: sources),
            schema: NoSchema(),
            name: nil,
            extraction: nil
        )
    }

    func plain(_ expression: CheckedExpression) throws(QueryError) -> String {
        try text { try expressions.write(expression, .plain, to: &$0) }
    }

    func exact(_ expression: CheckedExpression) throws(QueryError) -> String {
        try text { try expressions.write(expression, .exact, to: &$0) }
    }

    func keys(_ keys: [CheckedKey]) throws(QueryError) -> String {
        for key in keys where key.collation.isUnicode {
            throw QueryError("an index cannot be in Unicode order")
        }
        return try text { text in
            try text.list(keys) { try expressions.write(indexed: $1, to: &$0) }
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
