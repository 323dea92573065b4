internal import DivanJSON
internal import DivanQuery

/// Writes one `SELECT`.
struct SQLStatementWriter<Schema: SQLSchema> {
    private(set) var statement: CheckedStatement
    let schema: Schema
    /// The prefix of the names of its tables; sub-queries have other prefixes.
    let name: String
    private var predictions = SQLPredictionTables()

    init(_ statement: CheckedStatement, schema: Schema, name: String) {
        self.statement = statement
        self.schema = schema
        self.name = name
    }

    func write(to text: inout SQLText) throws {
        if let table = try tableOfCountedItems() { return try writeItemCount(in: table, to: &text) }
        if let shortcut = SQLShortcut(statement, knowsLiveCounts: schema.knowsLiveCounts) {
            return try write(shortcut, to: &text)
        }
        var writer = self
        writer.predictions = try SQLPredictionTables(of: statement, in: schema)
        try writer.writeWhole(to: &text)
    }

    private func writeWhole(to text: inout SQLText) throws {
        if mergesEqualGroups { return try writeMergedGroups(to: &text) }
        // Rows that are sorted into groups carry the requested columns, not whole bodies.
        let merges = mergesEqualRows
        let keys = merges ? statement.columns.map(\.key) : statement.groups
        let extracts =
            try keys.isEmpty ? statement.isAggregate && showsRanks : !areInOrder(keys)
        let extraction = extracts ? SQLExtraction() : nil
        let outer = expressions(extraction)
        text += statement.isDistinct && !merges ? "SELECT DISTINCT " : "SELECT "
        try text.list(statement.columns) { text, column in
            try outer.write(column.expression, column.isPlain ? .plain : .exact, to: &text)
        }
        let rest = try text.captured { text in
            try writeGroups(outer, to: &text)
            if merges { try writeMerging(outer, to: &text) }
            try writeOrder(outer, to: &text)
            try writeLimit(outer, to: &text)
        }
        text += " FROM "
        if let extraction {
            try writeExtracted(extraction.columns, to: &text)
        } else {
            try writeRows(to: &text)
        }
        text += rest
    }

    /// Whether an index returns the rows group by group, with everything that is needed of each row.
    private func areInOrder(_ keys: [CheckedKey]) throws -> Bool {
        guard let first = statement.sources.first, case .documents(let collection) = first.form,
            let grouping = SQLIndexedGrouping(of: statement, by: keys, schema.documentColumns)
        else { return false }
        return try schema.valueIndexes(of: collection).contains(where: grouping.fits)
    }

    /// Whether columns or orderings have ranks, which SQLite has only for rows of words, not for groups.
    private var showsRanks: Bool {
        var rest = statement.columns.map(\.expression)
        rest += statement.orderings.map(\.key.expression)
        while let expression = rest.popLast() {
            if case .rank = expression { return true }
            rest += expression.children
        }
        return false
    }

    /// Whether `DISTINCT` must be a grouping: SQLite's `DISTINCT` compares rows in exact form, where
    /// true and 1, which are equal, are two values; with an order it may become a grouping of SQLite's, without ranks.
    private var mergesEqualRows: Bool {
        statement.isDistinct && !statement.isAggregate && statement.groups.isEmpty
            && (hasColumnsToMerge || showsRanks)
    }

    /// The same for groups, if those with equal columns are shown once.
    private var mergesEqualGroups: Bool {
        statement.isDistinct && !statement.groups.isEmpty && hasColumnsToMerge
    }

    private var hasColumnsToMerge: Bool {
        statement.columns.contains { column in
            column.collation != .binary || Self.mayBeOfAnyType(column.expression)
        }
    }

    private static func mayBeOfAnyType(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .property, .variable, .column, .member, .choice, .parameter, .array, .object,
            .prediction:
            true
        case .call(.ifMissing, _, _): true
        case .call(let function, _, _): function.inSQL.result == .exact
        default: false
        }
    }

    /// Writes the grouping of equal rows; without an order, the first row of each group keeps its place.
    private func writeMerging(
        _ writer: SQLExpressionWriter<Schema>,
        to text: inout SQLText
    ) throws {
        text += " GROUP BY "
        try text.list(statement.columns) { try writer.write(key: $1.key, to: &$0) }
        guard statement.orderings.isEmpty else { return }
        text += " ORDER BY min("
        try writer.write(.metadata(source: 0, .sequence), .plain, to: &text)
        text += ")"
    }

    /// Writes the groups as rows of an inner query, whose equal rows are merged.
    private func writeMergedGroups(to text: inout SQLText) throws {
        var inner = statement
        inner.isDistinct = false
        (inner.orderings, inner.limit, inner.offset) = ([], nil, nil)
        for (number, ordering) in statement.orderings.enumerated() {
            // No other column has a zero byte in its title.
            inner.columns.append(
                CheckedColumn(title: ExactText("\(number)\0"), ordering.key.expression)
            )
        }
        try Self.bound(inner.columns.count)
        let (groups, count) = ("\(name)g", statement.columns.count)
        text += "WITH \(groups)("
        text.list(inner.columns.indices) { $0 += SQLExtraction.name($1) }
        text += ") AS ("
        try SQLStatementWriter(inner, schema: schema, name: name).write(to: &text)
        text += ") SELECT "
        text.list(0..<count) { $0 += SQLExtraction.name($1) }
        text += " FROM \(groups) GROUP BY "
        let writer = expressions()
        text.list(0..<count) { text, index in
            text.call(.plain)
            text += "\(SQLExtraction.name(index)))"
            writer.write(statement.columns[index].collation, to: &text)
        }
        for (number, ordering) in statement.orderings.enumerated() {
            text += number == 0 ? " ORDER BY " : ", "
            text.call(.plain)
            text += "\(SQLExtraction.name(count + number)))"
            writer.write(ordering.key.collation, to: &text)
            if ordering.isDescending { text += " DESC" }
        }
        try writeLimit(writer, to: &text)
    }

    private func write(_ shortcut: SQLShortcut, to text: inout SQLText) throws {
        if case .best = shortcut { return try writeBest(to: &text) }
        var writer = expressions()
        switch shortcut {
        case .counter(let collection): writer.counted = collection
        case .words: writer.countsRows = true
        case .best: break
        }
        text += "SELECT "
        try text.list(statement.columns) { try writer.write($1.expression, .exact, to: &$0) }
        if case .words = shortcut {
            text += " FROM "
            for (index, match) in statement.matches.enumerated() {
                let words = writer.words(index)
                if index > 0 { text += " JOIN " }
                text += "\(try schema.fullTextTable(of: match, in: statement).name) AS \(words)"
                if index > 0 { text += " ON \(words).rowid = \(writer.words(0)).rowid" }
            }
            if let filter = statement.filter {
                text += " WHERE "
                try writer.write(filter, .plain, to: &text)
            }
        }
        try writeOrder(writer, to: &text)
        try writeLimit(writer, to: &text)
    }

    /// Writes a query that ranks words, and then reads the documents of the remaining rows.
    private func writeBest(to text: inout SQLText) throws {
        let inner = expressions()
        var outer = inner
        outer.rank = "\(name)r.k"
        text += "SELECT "
        try text.list(statement.columns) { try outer.write($1.expression, .exact, to: &$0) }
        text += " FROM (SELECT rowid AS r, "
        try inner.writeRank(0, to: &text)
        let table = try schema.fullTextTable(of: statement.matches[0], in: statement)
        text += " AS k FROM \(table.name) AS \(inner.words(0))"
        if let filter = statement.filter {
            text += " WHERE "
            try inner.write(filter, .plain, to: &text)
        }
        let direction = statement.orderings[0].isDescending ? " DESC" : ""
        text += " ORDER BY k\(direction)"
        try writeLimit(inner, to: &text)
        text += ") AS \(name)r CROSS JOIN "
        if case .documents(let collection) = statement.sources[0].form {
            text += try schema.table(of: collection)
        }
        text += " AS \(name)0 ON \(name)0.\(sequence) = \(name)r.r"
        text += " ORDER BY \(name)r.k\(direction)"
    }

    func expressions(_ extraction: SQLExtraction? = nil) -> SQLExpressionWriter<Schema> {
        SQLExpressionWriter(
            statement: statement,
            schema: schema,
            name: name,
            extraction: extraction,
            predictions: predictions.columns(name)
        )
    }

    private static func bound(_ count: Int) throws(QueryError) {
        let limit = QueryLimits.standard.columnCount
        guard count > limit else { return }
        throw QueryError(
            "DISTINCT and GROUP BY need \(count) values per row, the limit is \(limit);"
                + " select fewer columns"
        )
    }

    /// The inner query, whose `LIMIT` keeps SQLite from flattening it.
    private func writeExtracted(
        _ columns: [SQLExtraction.Column],
        to text: inout SQLText
    ) throws {
        try Self.bound(columns.count)
        text += columns.isEmpty ? "(SELECT 1" : "(SELECT "
        let inner = expressions()
        try text.list(columns.indices) { text, index in
            try inner.write(columns[index].expression, columns[index].form, to: &text)
            text += " AS \(SQLExtraction.name(index))"
        }
        text += " FROM "
        try writeRows(to: &text)
        text += " LIMIT -1)"
    }

    private func writeRows(to text: inout SQLText) throws {
        try writeSources(to: &text)
        try writeFilter(to: &text)
    }

    private func writeSources(to text: inout SQLText) throws {
        for (index, source) in statement.sources.enumerated() {
            switch source.form {
            case .documents(let collection):
                let nearest = try nearest(in: collection, text)
                if index > 0 { text += Self.joining(source.join) }
                if let nearest { try write(nearest, to: &text) }
                text += "\(try schema.table(of: collection)) AS \(name)\(index)"
                try writeCondition(of: source, index, to: &text)
                if let nearest { expressions().writeNearestTie(nearest.number, to: &text) }
                if index == 0 { predictions.write(name, sequence: sequence, to: &text) }
                try writeWords(of: index, to: &text)
                try expressions().writeVectors(of: index, to: &text)
            case .items(let parent, let path):
                text += " JOIN "
                if let table = try itemTable(index) {
                    let key = isItems(parent) ? "id" : sequence
                    text += "\(table) AS \(name)\(index)"
                    text += " ON \(name)\(index).owner = \(name)\(parent).\(key)"
                } else {
                    text += "divan_items1("
                    try expressions().write(.property(source: parent, path), .exact, to: &text)
                    text += ") AS \(name)\(index)"
                }
            }
        }
    }

    /// A search that proposes documents.
    private struct Nearest {
        let number: Int
        let filter: Filter?
    }

    /// The statements with which a search finds and tests the documents that meet its conditions.
    ///
    /// Their last parameter is the largest number of documents to find, or the document to test.
    private struct Filter {
        let list: String
        let test: String
        let bindings: [SQLBinding]
    }

    /// The search that proposes documents of the first source, if one does.
    private func nearest(in collection: QueryCollection, _ text: SQLText) throws -> Nearest? {
        let number = statement.vectorSearches.firstIndex { $0.nearestCount != nil }
        guard let number else { return nil }
        guard let condition = statement.vectorSearches[number].filter else {
            return Nearest(number: number, filter: nil)
        }
        let filter = try filter(condition, of: collection, text.inner)
        // The values are arguments of one function, and long lists would be prepared for each test.
        guard filter.bindings.count <= SQLLimits.filterBindingCount,
            filter.list.utf8.count <= SQLLimits.filterByteCount
        else { return nil }
        return Nearest(number: number, filter: filter)
    }

    private func filter(
        _ condition: CheckedExpression,
        of collection: QueryCollection,
        _ text: SQLText
    ) throws -> Filter {
        var (text, writer) = (text, self)
        writer.statement.filter = condition
        let start = "SELECT \(sequence) FROM \(try schema.table(of: collection)) AS \(name)0"
        let list = try text.captured { try writer.writeFilter(to: &$0) }
        // A proposed document is live. Without that condition, no table of items is read, which would be read for
        // each document.
        writer.statement.sources[0].includesDeleted = true
        let test = try text.captured { try writer.writeFilter(to: &$0) }
        let parameter = text.bindings.count + 1
        return Filter(
            list: "\(start)\(list) LIMIT ?\(parameter)",
            test: "\(start)\(test) AND \(name)0.\(sequence) = ?\(parameter)",
            bindings: text.bindings
        )
    }

    /// Writes the table of the documents that are probably nearest.
    ///
    /// The index knows only estimates of most distances, so it names more documents than are returned.
    private func write(_ nearest: Nearest, to text: inout SQLText) throws {
        let search = statement.vectorSearches[nearest.number]
        let table = try schema.vectorTable(of: search, in: statement)
        text += "json_each(divan_nearest1('\(table.name)', "
        try expressions().write(vector: search.target, table.options, to: &text)
        let probes = search.isExact ? -1 : search.probeCount ?? 0
        text += ", \(probes), \(search.nearestCount ?? 0)"
        if let filter = nearest.filter {
            text.nearestFilter = filter.list
            text += ", \(SQLText.quoted(filter.list)), \(SQLText.quoted(filter.test))"
            for binding in filter.bindings {
                text += ", "
                text.bind(binding)
            }
        }
        text += ")) AS \(SQLVectors.candidates(name, nearest.number)) CROSS JOIN "
    }

    /// Joins the tables of words for the conditions on a source.
    private func writeWords(of source: Int, to text: inout SQLText) throws {
        for (index, match) in statement.matches.enumerated() where match.source == source {
            let table = try schema.fullTextTable(of: match, in: statement)
            let words = expressions().words(index)
            text += " JOIN \(table.name) AS \(words)"
            text += " ON \(words).rowid = \(name)\(source).\(sequence)"
        }
    }

    private func isItems(_ source: Int) -> Bool {
        if case .items = statement.sources[source].form { true } else { false }
    }

    /// The table of a source's items, if an index keeps one; it then also keeps those of its parent.
    func itemTable(_ source: Int) throws -> String? {
        var (present, paths) = (source, [QueryPath]())
        while case .items(let parent, let path) = statement.sources[present].form {
            paths.insert(path, at: 0)
            present = parent
        }
        guard case .documents(let collection) = statement.sources[present].form,
            !statement.sources[present].includesDeleted
        else { return nil }
        return try schema.itemTable(of: collection, paths)
    }

    private static func joining(_ join: QueryJoin?) -> String {
        switch join {
        case .leftOuter: " LEFT JOIN "
        case .cross: " CROSS JOIN "
        case .inner, nil: " JOIN "
        }
    }

    /// Rows that are not live must not count as partners, so that condition is in `ON`.
    private func writeCondition(
        of source: CheckedSource,
        _ index: Int,
        to text: inout SQLText
    ) throws {
        guard index > 0 else { return }
        var conditions: [CheckedExpression] = []
        if let condition = source.condition { conditions.append(condition) }
        guard !source.includesDeleted || !conditions.isEmpty else { return }
        text += " ON "
        if !source.includesDeleted { text += isLive(index) }
        for (position, condition) in conditions.enumerated() {
            if position > 0 || !source.includesDeleted { text += " AND " }
            try expressions().write(condition, .plain, to: &text)
            try expressions().writeIndexedTies(of: condition, to: &text)
        }
    }

    private func isLive(_ index: Int) -> String {
        schema.documentColumns.isLive("\(name)\(index).")
    }

    private var sequence: String { schema.documentColumns.sequence }

    private func writeFilter(to text: inout SQLText) throws {
        var separator = " WHERE "
        if let first = statement.sources.first, case .documents = first.form,
            !first.includesDeleted
        {
            text += separator + isLive(0)
            separator = " AND "
        }
        if let filter = statement.filter {
            text += separator
            try expressions().write(filter, .plain, to: &text)
            try expressions().writeIndexedTies(of: filter, to: &text)
        }
    }

    private func writeGroups(
        _ writer: SQLExpressionWriter<Schema>,
        to text: inout SQLText
    ) throws {
        guard !statement.groups.isEmpty else { return }
        text += " GROUP BY "
        try text.list(statement.groups) { try writer.write(key: $1, to: &$0) }
        guard let filter = statement.groupFilter else { return }
        text += " HAVING "
        try writer.write(filter, .plain, to: &text)
    }

    func writeOrder(
        _ writer: SQLExpressionWriter<Schema>,
        to text: inout SQLText
    ) throws {
        guard !statement.orderings.isEmpty else { return }
        text += " ORDER BY "
        try text.list(statement.orderings) { text, ordering in
            try writer.write(key: ordering.key, to: &text)
            if ordering.isDescending { text += " DESC" }
        }
    }

    func writeLimit(
        _ writer: SQLExpressionWriter<Schema>,
        to text: inout SQLText
    ) throws {
        guard statement.limit != nil || statement.offset != nil else { return }
        text += " LIMIT "
        if let limit = statement.limit {
            try writeCount(limit, writer, to: &text)
        } else {
            text += "-1"
        }
        guard let offset = statement.offset else { return }
        text += " OFFSET "
        try writeCount(offset, writer, to: &text)
    }

    private func writeCount(
        _ count: CheckedExpression,
        _ writer: SQLExpressionWriter<Schema>,
        to text: inout SQLText
    ) throws {
        if case .literal(.integer(let number)) = count {
            text += "\(max(number, 0))"
        } else {
            text.call(.rowCount)
            try writer.write(count, .plain, to: &text)
            text += ")"
        }
    }
}
