import DivanCommandLine
import DivanJSON
import DivanRevisions
import Foundation

/// `divan import`.
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import",
        summary: "save documents from JSON files",
        operands: [.database, .init(name: "FILE", isRepeating: true, completion: .file)],
        options: [
            .collection,
            .value("--id-from", "KEY", "the key that holds the document ID (default: _id)"),
            .value(
                "--from",
                "FORMAT",
                completion: .word(of: ["json", "csv", "couchdb"]),
                "json, csv or couchdb (default: csv for .csv and .tsv, otherwise json)"
            ),
            .value(
                "--separator",
                "CHARACTER",
                isCharacter: true,
                completion: .word(of: ["tab", "comma", "semicolon", "pipe"]),
                "between the fields of csv, also \"tab\" (default: found in the file)"
            ),
            .value("--text", "COLUMN", isRepeating: true, "of csv: values of COLUMN stay text"),
            .flag("--keep-id", "leave that key in the body"),
            .value("--since", "SEQUENCE", "leave out lines whose _sequence is not behind SEQUENCE"),
            .flag("--keep-revisions", "of couchdb: revisions keep their names and their history"),
            .flag("--keep-going", "leave out documents that are not valid, and go on"),
            .dryRun,
            .json,
        ],
        details: """
            A file holds one JSON object a line, or one array of objects, which may go over several
            lines; - is standard input.
            A directory holds one object in each .json file, whose name is the ID. A document
            without an ID gets one. A blob's content may stand in the text as base64:
            {"@type":"blob","content_type":"image/png","data":"…"}. One that is neither there nor in
            the database is named, with exit code 8.
            {"_id":"x","_deleted":true} deletes x. The collection is created if it does not exist.

            csv: the first line holds the keys. Fields are separated by a comma, semicolon, tab or
            bar; the first line shows which. A field without quotes is a number, true, false or null
            only if JSON writes that value with the same text: 12.5 is a number, 007 and 1.50 are
            text. An empty field without quotes is absent.

            couchdb: the output of _all_docs?include_docs=true&attachments=true, _changes or _find,
            or of pouchdb-dump. Attachments become blobs under "attachments". Left out are _rev,
            design documents, and of a conflict the side that CouchDB does not show.

            With --id-from, the import fails if none of the first 1,000 documents has the key.
            A document that is there with the same content is left alone and counts as unchanged, so
            that an import that was stopped can be run again. With --keep-revisions, for the files of
            pouchdb-dump and databases of revision trees, a later file adds what is new; a document
            that was changed here, too, is left out.
            """,
        examples: [
            "divan import travel routes.jsonl -c travel.routes",
            "divan import shop prices.csv --id-from sku --text zip",
            "divan import shop all-docs.json --from couchdb",
            "divan import travel routes.jsonl -c travel.routes --dry-run",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let files = arguments.operands.dropFirst()
        let reader = try reader(arguments)
        guard !files.isEmpty else { throw Failure.usage("divan import: FILE is missing") }
        let isDry = arguments.has("--dry-run")
        let rules = try ImportBatch.Rules(collection, arguments)
        var batch = try ImportBatch(arguments, rules: rules)
        defer { try? batch.end() }
        let interruption = Interruption.forVerb()
        let totalBytes = InputSize.bytes(of: files)
        let progress = ProgressLine(terminal, verb: isDry ? "read" : "imported")
        defer { progress.finish() }
        do {
            for file in files {
                try reader(file, interruption) { entry in
                    if interruption.isRequested {
                        throw interruption.failure
                    }
                    try batch.add(entry) {
                        progress.finish()
                        terminal.tell(problem: $0)
                    }
                    var reading = batch.reading
                    reading.totalBytes = totalBytes
                    progress.show(reading)
                }
            }
            try batch.finish { terminal.tell(problem: $0) }
        } catch {
            throw try batch.close(after: error)
        }
        progress.finish()
        let missing = MissingContents(try batch.missingBlobs())
        if isDry {
            rehearse(batch, terminal)
        } else {
            report(batch, progress.elapsed, missing, terminal)
        }
        if batch.refusedCount > 0 {
            throw Failure(
                kind: .partly,
                sentence: "\(Numbers.count(batch.refusedCount, "document")) "
                    + "\(batch.refusedCount == 1 ? "was" : "were") left out; the lines above say why"
            )
        }
        try missing.fail(terminal)
    }

    /// Calls its last argument for each document of a file, until it is told to stop.
    private typealias Reader = (
        String, Interruption, (DocumentText) throws -> Void
    ) throws -> Void

    /// Chooses the reader of the files.
    private static func reader(_ arguments: Arguments) throws(Failure) -> Reader {
        let format = arguments.value("--from")
        let files = arguments.operands.dropFirst()
        let tables = files.filter { format == "csv" || CSVReader.Rules.applies(to: $0) }
        let readsTables = format == "csv" || format == nil && !tables.isEmpty
        for option in ["--separator", "--text"] where arguments.has(option) && !readsTables {
            throw .usage("\(option) is for comma-separated values; add --from csv")
        }
        let keepsRevisions = arguments.has("--keep-revisions")
        guard format == "couchdb" || !keepsRevisions else {
            throw .usage("--keep-revisions needs --from couchdb; other files have no history")
        }
        guard !readsTables || !arguments.has("--since") else {
            throw .usage("--since needs lines with _sequence; comma-separated values have none")
        }
        let rules = try CSVReader.Rules(arguments)
        switch format {
        case nil:
            return { file, interruption, body in
                if tables.contains(file), !InputFile.isDirectory(file) {
                    try CSVReader.read(file, rules, until: interruption, body)
                } else {
                    try DocumentReader.read(file, until: interruption, body)
                }
            }
        case "json"?: return { try DocumentReader.read($0, until: $1, $2) }
        case "csv"?: return { try CSVReader.read($0, rules, until: $1, $2) }
        case "couchdb"?:
            return { try CouchReader.read($0, keepingRevisions: keepsRevisions, until: $1, $2) }
        case let format?:
            throw .usage("--from takes json, csv or couchdb, not \"\(format)\"")
        }
    }

    private static func rehearse(_ batch: ImportBatch, _ terminal: Terminal) {
        let contents = Numbers.contents(batch.savedCount, blobs: batch.blobCount)
        terminal.rehearsed(
            "import \(contents), and change \(Numbers.count(batch.replacedCount, "document")) "
                + "that \(batch.replacedCount == 1 ? "is" : "are") there\(unchanged(batch))",
            [
                "documents": JSON(batch.savedCount), "blobs": JSON(batch.blobCount),
                "unchanged": JSON(batch.unchangedCount),
                "refused": JSON(batch.refusedCount), "replaced": JSON(batch.replacedCount),
                "randomIDs": JSON(batch.ids.randomCount),
            ]
        )
        if !terminal.isJSON { batch.ids.warning.map { terminal.warn($0) } }
    }

    private static func report(
        _ batch: ImportBatch,
        _ elapsed: Duration,
        _ missing: MissingContents,
        _ terminal: Terminal
    ) {
        if terminal.isJSON {
            var object: JSONObject = [
                "documents": JSON(batch.savedCount), "blobs": JSON(batch.blobCount),
                "unchanged": JSON(batch.unchangedCount),
                "refused": JSON(batch.refusedCount), "seconds": .double(elapsed.inSeconds),
                "randomIDs": JSON(batch.ids.randomCount),
            ]
            missing.add(to: &object)
            return terminal.result(JSON.object(object).canonicalText)
        }
        let contents = Numbers.contents(batch.savedCount, blobs: batch.blobCount)
        let time = Numbers.seconds(elapsed.inSeconds)
        terminal.note("Imported \(contents) in \(time)\(unchanged(batch))")
        batch.ids.warning.map { terminal.warn($0) }
    }

    private static func unchanged(_ batch: ImportBatch) -> String {
        let count = batch.unchangedCount
        guard count > 0 else { return "" }
        return "; \(Numbers.count(count, "document")) \(count == 1 ? "is" : "are") unchanged"
    }
}
