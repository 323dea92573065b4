import CouchbaseLiteSwift
import DivanCommandLine
import DivanExchange
import DivanJSON

/// `divan export`.
enum ExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "export",
        summary: "export documents as JSON, CSV or SQLite tables",
        operands: [.database, .init(name: "FILE", isOptional: true, completion: .file)],
        options: [
            .collection.grouped(.filters),
            .flag("--array", "write one JSON array instead of JSON lines").grouped(.output),
            ExportFormat.option.grouped(.output),
            .flag("--blobs", "include the content of blobs as base64").grouped(.output),
            .value("--query", "SELECT", "export the rows of this query instead").grouped(.filters),
            .value("--since", "SEQUENCE", "only changes after SEQUENCE, including deletions")
                .grouped(.filters),
        ],
        details: """
            Writes JSON lines, ordered by document ID (_id), to standard output if FILE is omitted
            or -. If FILE is a directory, writes one file per document. An existing file is replaced
            only after the export succeeds, and keeps its permissions.

            With --format csv, or if FILE ends in .csv, each property becomes a column. With
            --format sqlite, or if FILE ends in .sqlite, each collection becomes a table. A file
            whose name ends in .gz or .zst is compressed. Docs/guides/backup.md describes the
            formats.

            With --since, lines are in the order of the changes and contain _sequence; a deletion
            is {"_deleted":true}. 'divan import' applies them. Damaged documents are skipped and
            listed, with exit code 8.
            """,
        examples: [
            "divan export travel countries.jsonl -c geo.countries --blobs",
            "divan export travel --since 4711 > changes.jsonl",
            "divan export travel travel.jsonl.gz",
            "divan export travel travel.sqlite && sqlite3 travel.sqlite .tables",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let name = try arguments.collection()
        let since: UInt64? = try arguments.number("--since", in: 0...UInt64.max)
        if let query = arguments.value("--query") {
            return try export(rowsOf: query, arguments, terminal)
        }
        let file = arguments.operands.dropFirst().first ?? "-"
        let format = try ExportFormat(arguments)
        if let kind = TableKind(format, file: file) { return try kind.export(arguments, terminal) }
        let (documents, last) = try arguments.database.using(.reading) { database in
            let collection = try database.existing(name)
            return try Stoppable.run(
                leaving: InputFile.isDirectory(file)
                    ? "the files written so far are kept" : "no file was written",
                endsAtOnce: file == "-"
            ) {
                try export(
                    collection,
                    since,
                    to: file,
                    asArray: format == .array,
                    embeddingBlobs: arguments.has("--blobs"),
                    terminal
                )
            }
        }
        let damaged = documents.damaged
        damaged.report(terminal)
        let count = documents.count
        var sentence = "Exported \(Numbers.count(count, "document")), up to sequence \(last)"
        var members: JSONObject = ["documents": JSON(count), "sequence": JSON(last)]
        if documents.omittedBlobCount > 0 {
            let blobs = Numbers.count(documents.omittedBlobCount, "blob")
            sentence += "; \(blobs) not included (use '--blobs')"
            members["blobsLeftOut"] = JSON(documents.omittedBlobCount)
        }
        if damaged.count > 0 { members["damaged"] = JSON(damaged.count) }
        printResult(sentence, members, arguments, terminal)
        try damaged.fail()
    }

    /// Reports what was exported.
    static func printResult(
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
        _ collection: CouchbaseLiteSwift.Collection,
        _ since: UInt64?,
        to file: String,
        asArray: Bool,
        embeddingBlobs embedsBlobs: Bool,
        _ terminal: Terminal
    ) throws -> (DocumentExport, UInt64) {
        let progress = ProgressLine(terminal, verb: "exported", besideResults: file == "-")
        defer { progress.finish() }
        let output = try DocumentOutput(file, terminal)
        var export = output.export(asArray: asArray, embeddingBlobs: embedsBlobs) {
            if since == nil { try progress.show($0) } else { try Interruption.check() }
        }
        let last = try collection.database.withSnapshot { snapshot in
            // With a sequence: what has changed, including deletions, in the order of the changes feed.
            try export.add(collection, in: snapshot, since: since)
            try snapshot.makeDurable()  // the next export may continue with --since
            return try snapshot.lastSequence(of: collection)
        }
        try export.finish()
        try output.finish()
        return (export, last)
    }

    /// Writes the rows of a query: objects in lines or an array, or comma-separated values.
    private static func export(
        rowsOf text: String,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        for option in ["--collection", "--blobs", "--since"] where arguments.has(option) {
            throw Failure.usage(
                "'\(option)' cannot be combined with '--query'",
                hint: "select the documents in the query"
            )
        }
        let kind = try ExportFormat(arguments)
        if kind == .sqlite {
            throw Failure.usage(
                "query results cannot be exported as SQLite tables",
                hint: arguments.has("--format")
                    ? "use '--format csv' or '--format jsonl'" : "use a .csv or .jsonl file"
            )
        }
        let session = try QuerySession(arguments.database)
        defer { session.close() }
        var damaged = DamagedDocuments()
        let query = try session.query(text, leavingOut: &damaged)
        damaged.report(terminal)
        let file = arguments.operands.dropFirst().first.flatMap { $0 == "-" ? nil : $0 }
        let format: RowFormat = kind == .csv ? .csv : kind == .array ? .array : .lines
        guard let file else {
            let count = try session.print(query, format, terminal, isConfirmed: true)
            printResult(
                "Exported \(Numbers.count(count, "row"))",
                rows(count, damaged),
                arguments,
                terminal
            )
            return try damaged.fail()
        }
        let count = try session.write(query, format, to: try ExportFile(file))
        terminal.done("Exported \(Numbers.count(count, "row"))", rows(count, damaged))
        try damaged.fail()
    }

    private static func rows(_ count: Int, _ damaged: DamagedDocuments) -> JSONObject {
        var members: JSONObject = ["rows": JSON(count)]
        if damaged.count > 0 { members["damaged"] = JSON(damaged.count) }
        return members
    }
}
