import DivanCommandLine
import DivanJSON
import DivanStore

/// `divan export`.
enum ExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "export",
        summary: "write documents as JSON, comma-separated values or tables of SQLite",
        operands: [.database, .init(name: "FILE", isOptional: true, completion: .file)],
        options: [
            .collection,
            .flag("--array", "one JSON array instead of a line for each document"),
            .flag("--blobs", "the content of blobs too, as base64"),
            .value(
                "--query",
                "SELECT",
                "the rows of this query instead, as FILE ends: .csv, or lines"
            ),
            .value("--since", "SEQUENCE", "only what has changed behind SEQUENCE, deletions too"),
        ],
        details: """
            Ordered by document ID, which stands in each object under _id. Without FILE, or with -,
            the lines go to standard output; where FILE is a directory, each document gets a file
            of its own. A file is replaced when all is written: its mode stays, a link is
            followed, and a full disk leaves what was there; devices and pipes are written to.
            With --since the order is that of the changes, each line has its _sequence, a
            deletion is {"_deleted":true}, and divan import applies them.
            The last line on standard error tells the sequence to go on from.
            A FILE that ends in .csv gets a column for each property, and divan import --from csv
            reads it back. One that ends in .sqlite becomes a database of SQLite, with a table for
            each collection, or for that of -c: _id, _revision, _body (the document as JSON), and the
            common properties.
            """,
        examples: [
            "divan export travel countries.jsonl -c geo.countries --blobs",
            "divan export travel --since 4711 > changes.jsonl",
            "divan export travel travel.sqlite && sqlite3 travel.sqlite .tables",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let since: UInt64? = try arguments.number("--since", in: 0...UInt64.max)
        if let query = arguments.value("--query") {
            return try export(rowsOf: query, arguments, terminal)
        }
        if let kind = try TableKind(arguments) { return try kind.export(arguments, terminal) }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        var lines = try DocumentLines(
            to: arguments.operands.dropFirst().first,
            asArray: arguments.has("--array"),
            embedding: arguments.has("--blobs") ? store.blobs : nil,
            terminal
        )
        let progress = ProgressLine(terminal, verb: "exported")
        defer { progress.finish() }
        let last = try store.read { reader in
            if let since {
                try export(collection, since, reader, &lines)
            } else {
                try reader.forEachDocumentID(in: collection) { documentID in
                    if let document = try reader.document(documentID, in: collection) {
                        try lines.add(document)
                    }
                    progress.show(
                        ProgressLine.Reading(
                            documents: UInt64(lines.count),
                            total: UInt64(try reader.count(in: collection)),
                            bytes: lines.byteCount
                        )
                    )
                    return true
                }
            }
            return try reader.lastSequence(in: collection)
        }
        try lines.finish()
        progress.finish()
        terminal.note(
            "Exported \(Numbers.count(lines.count, "document")), up to sequence \(last)"
        )
    }

    /// Writes the rows of a query: objects in lines or an array, or comma-separated values.
    private static func export(
        rowsOf text: String,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        let kind = try TableKind(arguments)
        if case .sqlite(let file)? = kind {
            throw Failure.usage("\(file): a query has no tables; write .csv or .jsonl")
        }
        let session = try QuerySession(arguments.database)
        defer { try? session.store.close() }
        let query = try session.query(text)
        let file = arguments.operands.dropFirst().first.flatMap { $0 == "-" ? nil : $0 }
        let isTable = kind != nil
        let format: RowFormat = isTable ? .csv : arguments.has("--array") ? .array : .lines
        guard let file else {
            let count = try session.print(query, format, terminal)
            return terminal.note("Exported \(Numbers.count(count, "row"))")
        }
        let rows = try session.store.rows(of: query)
        defer { rows.end() }
        let output = try OutputFile(file)
        var writer = RowWriter(format, titles: rows.titles.map(\.text))
        var (block, count) = ([UInt8](), 0)
        let line = { (line: String) in
            block += Array(line.utf8) + [UInt8(ascii: "\n")]
            guard block.count > 1 << 18 else { return }
            try output.write(block)
            block.removeAll(keepingCapacity: true)
        }
        while let row = try rows.next() {
            try writer.write(row, line)
            count += 1
        }
        try writer.finish(line)
        try output.write(block)
        try output.finish()
        terminal.note("Exported \(Numbers.count(count, "row"))")
    }

    /// Writes what has changed, deletions too, in the order of the changes feed.
    private static func export(
        _ collection: CollectionPath,
        _ since: UInt64,
        _ reader: StoreReader,
        _ lines: inout DocumentLines
    ) throws {
        try reader.forEachDocument(in: collection, after: since) { document in
            var members: JSONObject = ["_sequence": JSON(document.sequence)]
            if document.isTombstone { members["_deleted"] = true }
            try lines.add(document, members)
        }
    }
}
