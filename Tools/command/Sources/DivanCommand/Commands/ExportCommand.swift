import Divan
import DivanCommandLine
import DivanJSON

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
            of its own; those of documents that are gone since stay there. A file that is there is
            replaced, and nobody is asked, when all is written: its mode stays, a link is followed,
            and a full disk leaves what was there; devices and pipes are written to. divan cp to a file of lines replaces nothing.
            With --since the order is that of the changes, each line has its _sequence, a
            deletion is {"_deleted":true}, and divan import applies them.
            The last line on standard error tells the sequence to go on from; with --json it is an
            object, and stands on standard output where the documents go to a FILE. A document's own
            properties _sequence and _collection stand in an object under the empty key.
            A damaged document is left out and named, with exit code 8, in every format and with
            --query, too.
            A FILE that ends in .csv gets a column for each property, and divan import
            reads it back: objects, arrays and blobs as text. One that ends in .sqlite becomes a database of SQLite, with a table for
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
        let name = try arguments.collection()
        let since: UInt64? = try arguments.number("--since", in: 0...UInt64.max)
        if let query = arguments.value("--query") {
            return try export(rowsOf: query, arguments, terminal)
        }
        if let kind = try TableKind(arguments) { return try kind.export(arguments, terminal) }
        let living = try arguments.database.living()
        var damaged = DamagedDocuments()
        let (lines, last) = try arguments.database.using(.reading) { database in
            let collection = try database.existing(name)
            let file = arguments.operands.dropFirst().first ?? "-"
            return try Stoppable.run(
                leaving: InputFile.isDirectory(file)
                    ? "the files that were written stay" : "no file was written",
                endsAtOnce: file == "-"
            ) {
                try export(collection, of: living, since, arguments, terminal, &damaged)
            }
        }
        damaged.tell(terminal)
        var sentence = "Exported \(Numbers.count(lines.count, "document")), up to sequence \(last)"
        var members: JSONObject = ["documents": JSON(lines.count), "sequence": JSON(last)]
        if lines.leftOutCount > 0 {
            sentence += "; without \(Numbers.count(lines.leftOutCount, "blob")), which --blobs adds"
            members["blobsLeftOut"] = JSON(lines.leftOutCount)
        }
        if damaged.count > 0 { members["damaged"] = JSON(damaged.count) }
        tell(sentence, members, arguments, terminal)
        try damaged.fail()
    }

    /// Reports what was exported.
    private static func tell(
        _ sentence: String,
        _ members: JSONObject,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) {
        let isFile = arguments.operands.dropFirst().first.map { $0 != "-" } ?? false
        if isFile {
            terminal.done(sentence, members)
        } else {
            terminal.done(besideResults: sentence, members)
        }
    }

    /// Writes a collection; returns what was written, and its last sequence.
    ///
    /// Documents that cannot be read are left out.
    private static func export(
        _ collection: Divan.Collection,
        of living: LivingDocuments,
        _ since: UInt64?,
        _ arguments: Arguments,
        _ terminal: Terminal,
        _ damaged: inout DamagedDocuments
    ) throws -> (DocumentLines, UInt64) {
        let database = collection.database
        let name = collection.qualifiedName.wireName
        var lines = try lines(of: database, arguments, terminal)
        let file = arguments.operands.dropFirst().first ?? "-"
        let progress = ProgressLine(terminal, verb: "exported", besideResults: file == "-")
        defer { progress.finish() }
        let last = try database.withSnapshot { snapshot in
            if let since {
                // What has changed, including deletions, in the order of the changes feed.
                try snapshot.forEachChange(of: collection, since: since) { id, _ in
                    damaged.take(id, in: name)
                } _: { change in
                    guard try living.contain(change.id, of: collection) else { return }
                    var members: JSONObject = ["_sequence": JSON(change.sequence)]
                    if change.isDeleted { members["_deleted"] = true }
                    try lines.add(change.id, change.document?.storedJSON, members)
                }
            } else {
                let total = try snapshot.count(of: collection)
                try snapshot.forEachDocument(of: collection) { id, _ in
                    damaged.take(id, in: name)
                } _: { document in
                    guard try living.contain(document.id, of: collection) else { return }
                    try lines.add(document.id, document.storedJSON)
                    progress.show(
                        ProgressLine.Reading(
                            documents: UInt64(lines.count),
                            total: total,
                            bytes: lines.byteCount
                        )
                    )
                }
            }
            try snapshot.makeDurable()  // somebody may continue with --since
            return try snapshot.lastSequence(of: collection)
        }
        try lines.finish()
        return (lines, last)
    }

    private static func lines(
        of database: Database,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws -> DocumentLines {
        try DocumentLines(
            to: arguments.operands.dropFirst().first,
            asArray: arguments.has("--array"),
            embedding: arguments.has("--blobs") ? { try database.content(of: $0, upTo: $1) } : nil,
            terminal
        )
    }

    /// Writes the rows of a query: objects in lines or an array, or comma-separated values.
    private static func export(
        rowsOf text: String,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        for option in ["--collection", "--blobs", "--since"] where arguments.has(option) {
            throw Failure.usage("\(option) has no place beside --query; say it in the query")
        }
        let kind = try TableKind(arguments)
        if case .sqlite(let file)? = kind {
            throw Failure.usage("\(file): a query has no tables; write .csv or .jsonl")
        }
        let session = try QuerySession(arguments.database)
        defer { session.close() }
        var damaged = DamagedDocuments()
        let query = try session.query(text, leavingOut: &damaged)
        damaged.tell(terminal)
        let file = arguments.operands.dropFirst().first.flatMap { $0 == "-" ? nil : $0 }
        let isTable = kind != nil
        let format: RowFormat = isTable ? .csv : arguments.has("--array") ? .array : .lines
        guard let file else {
            let count = try session.print(query, format, terminal, isConfirmed: true)
            tell(
                "Exported \(Numbers.count(count, "row"))",
                rows(count, damaged),
                arguments,
                terminal
            )
            return try damaged.fail()
        }
        let count = try session.write(query, format, to: try OutputFile(file))
        terminal.done("Exported \(Numbers.count(count, "row"))", rows(count, damaged))
        try damaged.fail()
    }

    private static func rows(_ count: Int, _ damaged: DamagedDocuments) -> JSONObject {
        var members: JSONObject = ["rows": JSON(count)]
        if damaged.count > 0 { members["damaged"] = JSON(damaged.count) }
        return members
    }
}
