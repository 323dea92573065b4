import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform
import DivanQuery
import DivanRevisions
import Foundation

/// Questions to one database that is only read.
struct QuerySession {
    let store: Store
    let name: String
    /// The database as it is typed in a shell.
    let word: String
    private let bundle: String
    /// Values of parameters.
    var parameters: [ExactText: QueryValue] = [:]

    init(_ path: DatabasePath) throws {
        store = try path.open(forWriting: false)
        name = path.name
        word = path.word
        bundle = path.bundle
    }

    func close() {
        try? store.close()
    }

    /// - Throws: `StoreError` if the database was removed or replaced.
    func requireFile() throws { try store.requireFile() }

    /// Parses and checks a query.
    func query(_ text: String, control: QueryControl = QueryControl()) throws -> StorageQuery {
        let catalogue = StoreCatalogue(store, named: ExactText(name))
        let asked = try QueryStatement(sql: text)
        // As it was written, so that errors refer to its own text.
        do {
            _ = try asked.checked(against: catalogue, text: text)
        } catch let error as QueryError where error.code == .missingIndex {
            guard let remedy = matchRemedy(text) else { throw error }
            throw Failure(kind: .invalid, sentence: "\(error)", hint: remedy)
        }
        let statement = try UnexpiredDocuments(in: store).only(asked)
            .checked(against: catalogue, text: text)
        return StorageQuery(statement, parameters: parameters, control: control)
    }

    /// Parses and checks a query about the documents that are not damaged; adds the others to `damaged`.
    ///
    /// Reads every row of its collections: a query itself compares no checksums.
    func query(_ text: String, leavingOut damaged: inout DamagedDocuments) throws -> StorageQuery {
        let query = try query(text)
        var lost: [CollectionPath: [DocumentID]] = [:]
        try store.read { reader in
            let paths = Set(query.statement.everyCollection.compactMap { CollectionPath($0) })
            for path in paths.sorted(by: { $0.wireName < $1.wireName }) {
                try reader.forEachDocument(in: path) { documentID, _ in
                    damaged.add(documentID.text, in: path.wireName)
                    lost[path, default: []].append(documentID)
                } _: { _ in
                    try Interruption.check()
                }
            }
        }
        guard !lost.isEmpty else { return query }
        let lostOfSources = query.statement.sources.map { source -> [DocumentID] in
            guard case .documents(let collection) = source.form,
                let path = CollectionPath(collection)
            else { return [] }
            return lost[path] ?? []
        }
        let statement = try UnexpiredDocuments(in: store).only(
            QueryStatement(sql: text),
            besides: lostOfSources
        )
        .checked(against: StoreCatalogue(store, named: ExactText(name)), text: text)
        return StorageQuery(statement, parameters: parameters)
    }

    /// Parses and checks a query, using those of the parameters that it has; `running` stops it.
    func query(_ text: String, in running: RunningQuery) throws -> StorageQuery {
        let control = QueryControl()
        running.begin { control.cancel() }
        let query = try query(text, control: control)
        let names = query.statement.parameters
        return StorageQuery(
            query.statement,
            parameters: parameters.filter { names.contains($0.key) },
            control: control
        )
    }

    /// Values that change whenever a query's collections do.
    func marks(of query: StorageQuery) throws -> [UInt64] {
        let marks = try store.read { reader in
            try query.statement.everyCollection.compactMap { CollectionPath($0) }.flatMap { path in
                [try reader.lastSequence(in: path), UInt64(try reader.count(in: path))]
            }
        }
        return marks + stamps()
    }

    /// Size and time of the files: new expirations, purged tombstones and indexes change no counter.
    private func stamps() -> [UInt64] {
        ["/db.sqlite3", "/db.sqlite3-wal"].flatMap { file -> [UInt64] in
            guard let status = try? FileStatus(of: bundle + file) else { return [0, 0, 0] }
            return [status.byteCount, status.modifiedSeconds, status.modifiedNanoseconds]
                .map { UInt64(bitPattern: Int64($0)) }
        }
    }

    /// When the first document of a query's collections expires after a moment, both in milliseconds since
    /// 1970; `nil` if none does.
    func nextEnd(of query: StorageQuery, after moment: Int64) throws -> Int64? {
        let text =
            "SELECT MIN(META().expiration) FROM _ WHERE META().expiration > \(moment)"
        var statement = try QueryStatement(sql: text)
        let catalogue = StoreCatalogue(store, named: ExactText(name))
        return try query.statement.everyCollection.compactMap { collection -> Int64? in
            let place = QuerySource.Form.collection(scope: collection.scope, name: collection.name)
            statement.sources = [QuerySource(place)]
            let question = StorageQuery(try statement.checked(against: catalogue))
            guard case .integer(let end)? = try rows(of: question).first?.first else { return nil }
            return end
        }.min()
    }

    /// All rows of a query.
    func rows(of query: StorageQuery) throws -> [[QueryValue]] {
        let found = try store.rows(of: query)
        defer { found.end() }
        var rows: [[QueryValue]] = []
        while let row = try found.next() { rows.append(row) }
        return rows
    }

    /// The collections, and how many documents each has.
    func collectionRows() throws -> [(left: String, right: String)] {
        try store.read { reader in
            try reader.collections().map { path in
                (left: path.wireName, right: Numbers.grouped(try reader.count(in: path)))
            }
        }
    }

    /// The indexes of all collections, and what each holds.
    func indexRows() throws -> [(left: String, right: String)] {
        try store.read { reader in
            try reader.collections().flatMap { path in
                try reader.indexes(in: path).map { index in
                    (left: "\(path.wireName)  \(index.name)", right: index.line)
                }
            }
        }
    }

    /// The documents of a collection that meet a condition.
    func documentIDs(
        in path: CollectionPath,
        where condition: String
    ) throws -> Set<DocumentID> {
        // Parsed alone first, so that the text is a condition and nothing more.
        let expression = try QueryExpression(sql: condition)
        let source = QuerySource(
            .collection(scope: ExactText(path.scope), name: ExactText(path.name))
        )
        let id = QueryColumn(QueryExpression(.metadata(of: QueryPath(), key: "id")))
        let statement = QueryStatement(columns: [id], sources: [source], filter: expression)
        let catalogue = StoreCatalogue(store, named: ExactText(name))
        let rows = try store.rows(
            of: StorageQuery(statement.checked(against: catalogue, text: condition))
        )
        defer { rows.end() }
        var found: Set<DocumentID> = []
        while let row = try rows.next() {
            if case .string(let id) = row[0] { found.insert(DocumentID(unchecked: id)) }
        }
        return found
    }

    /// The names of collections, and of properties that the first documents of each have.
    func names() throws -> (collections: [String], properties: [String]) {
        var properties: Set = ["id"]
        var collections: [String] = []
        try store.read { reader in
            for path in try reader.collections() {
                collections.append(path.wireName)
                let ids = try reader.documentIDs(in: path, after: nil, limit: 20)
                for id in ids {
                    let body = try reader.document(id, in: path).map {
                        try JSON(storedBody: $0.body)
                    }
                    for key in body?.object?.keys ?? [] { properties.insert(key) }
                }
            }
        }
        return (collections, properties.sorted())
    }

    /// Refuses parameters that a query does not have, and warns about those without a value.
    func checkParameters(_ query: StorageQuery, _ terminal: Terminal) throws(Failure) {
        let names = query.statement.parameters
        for name in parameters.keys.sorted() where !names.contains(name) {
            let list = names.sorted().map { "$\($0)" }.joined(separator: ", ")
            throw Failure(
                kind: .invalid,
                sentence: "the query has no parameter $\(name)",
                hint: names.isEmpty
                    ? "write $\(name) in the query in place of the value"
                    : "its parameters are \(list)"
            )
        }
        warnAboutMissingParameters(query, terminal) { "set it with '-p \($0)=VALUE'" }
    }

    /// Warns about parameters without a value, and how to set them.
    func warnAboutMissingParameters(
        _ query: StorageQuery,
        _ terminal: Terminal,
        _ remedy: (String) -> String
    ) {
        // As in the official API, a name can mark its value as optional.
        for name in query.statement.parameters.sorted()
        where parameters[name] == nil && !name.text.hasPrefix("opt_") && !terminal.isJSON {
            terminal.warn("$\(name) has no value, so it is MISSING; \(remedy(name.text))")
        }
    }

    /// Prints the rows of a query, through the pager if requested; returns how many there are.
    @discardableResult
    func print(
        _ query: StorageQuery,
        _ format: RowFormat,
        _ terminal: Terminal,
        isPaged: Bool = false,
        isConfirmed: Bool = false
    ) throws -> Int {
        let columns = try columns(of: query, format)
        let rows = try store.rows(of: query)
        defer { rows.end() }
        var count = 0
        let write = isPaged ? terminal.pagedResults : terminal.results
        var columnsWithValues: Set<Int> = []
        defer { if count == 0 { noteHiddenWords(query, terminal) } }
        try write { line in
            var writer = RowWriter(
                format,
                titles: columns?.titles ?? rows.titles.map(\.text),
                width: terminal.resultWidth,
                isStyled: terminal.stylesResults
            )
            while let row = try rows.next() {
                try writer.write(Self.cells(of: row, in: columns), line)
                count += 1
                guard columnsWithValues.count < row.count else { continue }
                columnsWithValues.formUnion(row.indices.filter { row[$0] != .missing })
            }
            try writer.finish(line)
        }
        let isExpected = count > 0 && columnsWithValues.count == rows.titles.count
        let doubtful =
            isExpected ? query.statement.tolerantProperties : query.statement.properties
        try noteUnknown(doubtful, of: query, terminal)
        if count == 0, format == .table { terminal.note("No rows") }
        if !isConfirmed { try confirm(query) }
        return count
    }

    /// Verifies that a query that scanned a whole collection saw all of its documents: one that
    /// damage has marked as deleted is in no row.
    ///
    /// A query for a few rows does not wait for that.
    private func confirm(_ query: StorageQuery) throws {
        guard query.statement.limit == nil,
            try store.plan(of: query).steps.contains(where: { $0.text.hasPrefix("SCAN ") })
        else { return }
        try store.read { reader in
            for path in query.statement.everyCollection.compactMap({ CollectionPath($0) }) {
                try reader.confirmList(of: path)
            }
        }
    }

    /// Writes the rows of a query to a file; returns how many there are.
    func write(_ query: StorageQuery, _ format: RowFormat, to output: ExportFile) throws -> Int {
        let columns = try columns(of: query, format)
        let rows = try store.rows(of: query)
        defer { rows.end() }
        var writer = RowWriter(format, titles: columns?.titles ?? rows.titles.map(\.text))
        var (block, count) = ([UInt8](), 0)
        let line = { (line: String) in
            block += Array(line.utf8) + [UInt8(ascii: "\n")]
            guard block.count > 1 << 18 else { return }
            try output.write(block)
            block.removeAll(keepingCapacity: true)
        }
        while let row = try rows.next() {
            try writer.write(Self.cells(of: row, in: columns), line)
            count += 1
        }
        try writer.finish(line)
        try output.write(block)
        try output.finish()
        return count
    }

    /// Explains why words were not found, if the index was created for languages with other words.
    private func noteHiddenWords(_ query: StorageQuery, _ terminal: Terminal) {
        for match in query.statement.matches {
            guard case .documents(let source) = query.statement.sources[match.source].form,
                let path = CollectionPath(source), let text = text(of: match, in: query),
                let index = try? store.read({ try $0.indexes(in: path) })
                    .first(where: { $0.name == match.index }),
                index.hidesWords(of: text)
            else { continue }
            terminal.note(
                "hint: index \(index.name) is for languages with spaces between words; recreate it "
                    + "with 'divan index make --text --language ja' (or zh, th, lo, km, my)"
            )
        }
    }

    private func text(of match: CheckedMatch, in query: StorageQuery) -> String? {
        switch match.text {
        case .literal(.string(let text)): return text
        case .parameter(let name):
            if case .string(let text) = query.parameters[name] { return text }
            return nil
        default: return nil
        }
    }

    /// Prints how a query would be executed.
    func explain(_ query: StorageQuery, _ terminal: Terminal) throws {
        let plan = try store.plan(of: query)
        guard terminal.isJSON else {
            terminal.result(plan.sql + "\n")
            for step in plan.steps { terminal.result(step.text) }
            return
        }
        let steps = plan.steps.map { step -> JSON in
            ["id": JSON(step.id), "parent": JSON(step.parent), "text": .string(step.text)]
        }
        let object: JSON = ["sql": .string(plan.sql), "steps": .array(steps)]
        terminal.result(object.canonicalText)
    }

    /// The value of a parameter that a person typed: JSON, or else text.
    ///
    /// - Throws: `Failure` for invalid JSON that begins like JSON: it is not meant as text.
    static func value(_ text: String, of name: String) throws(Failure) -> QueryValue {
        do {
            return .parameter(try JSON(parsing: text))
        } catch {
            guard let first = text.first, "[{\"".contains(first) else {
                return .parameter(.string(text))
            }
            let failure = Failure(explaining: error)
            throw Failure(
                kind: .invalid,
                sentence: "the value of $\(name) is not valid \(failure.sentence)",
                hint: "correct the JSON, or write text as \(JSON.string(text).canonicalText)"
            )
        }
    }
}
