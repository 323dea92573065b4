import DivanCommandLine
import DivanJSON
import DivanRevisions
import Foundation

/// `divan import`.
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import",
        summary: "import documents from JSON, CSV or CouchDB files",
        operands: [.database, .init(name: "FILE", isRepeating: true, completion: .file)],
        options: [
            .collection,
            .value("--id-from", "KEY", "take the document ID from this key (default: _id)"),
            .value(
                "--from",
                "FORMAT",
                completion: .word(of: ["json", "csv", "couchdb"]),
                "json, csv or couchdb (default: csv for .csv and .tsv, else json)"
            ),
            .value(
                "--separator",
                "CHARACTER",
                isCharacter: true,
                completion: .word(of: ["tab", "comma", "semicolon", "pipe"]),
                "CSV: the field separator (default: detected)"
            ),
            .value("--text", "COLUMN", isRepeating: true, "CSV: keep the values of COLUMN as text"),
            .flag("--keep-id", "keep the key of the ID in the body"),
            .value("--since", "SEQUENCE", "skip lines up to this _sequence")
                .grouped(.filters),
            .flag("--keep-revisions", "CouchDB: keep revision IDs and history"),
            .flag("--keep-going", "skip invalid documents, and continue"),
            .dryRun,
            .json,
        ],
        details: """
            FILE contains one JSON object per line, or one array of objects; - is standard input. A
            directory contains one object in each .json file, whose name is the ID. Documents
            without an ID get a random one. {"_id":"x","_deleted":true} deletes x. The collection
            is created if it does not exist.

            The first line of a CSV file contains the keys. An unquoted field becomes a number,
            true, false or null only if JSON writes that value with the same text; 007 and 1.50
            stay text. Blobs can be embedded as base64. Docs/guides/backup.md describes the
            formats, including those of CouchDB.

            Documents that exist with the same content are skipped, so you can run an interrupted
            import again. Blobs that are missing are listed, with exit code 8.
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
        guard !files.isEmpty else { throw Failure.usage("divan import: missing argument FILE") }
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
                    try batch.add(&entry) {
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
        let missing = MissingBlobReport(try batch.missingBlobs())
        if isDry {
            rehearse(batch, terminal)
        } else {
            report(batch, progress.elapsed, missing, terminal)
        }
        if batch.refusedCount > 0 {
            throw Failure(
                kind: .partly,
                sentence: "\(Numbers.count(batch.refusedCount, "document")) "
                    + "\(batch.refusedCount == 1 ? "was" : "were") skipped",
                hint: "the reasons are listed above"
            )
        }
        try missing.fail(terminal)
    }

    /// Calls its last argument for each document of a file, until it is interrupted.
    private typealias Reader = (
        String, Interruption, (inout DocumentText) throws -> Void
    ) throws -> Void

    /// Chooses the reader of the files.
    private static func reader(_ arguments: Arguments) throws(Failure) -> Reader {
        let format = arguments.value("--from")
        let files = arguments.operands.dropFirst()
        let tables = files.filter { format == "csv" || CSVReader.Rules.applies(to: $0) }
        let readsTables = format == "csv" || format == nil && !tables.isEmpty
        for option in ["--separator", "--text"] where arguments.has(option) && !readsTables {
            throw .usage("'\(option)' applies only to CSV", hint: "add '--from csv'")
        }
        let keepsRevisions = arguments.has("--keep-revisions")
        guard format == "couchdb" || !keepsRevisions else {
            throw .usage(
                "'--keep-revisions' requires '--from couchdb'",
                hint: "other formats contain no revision history"
            )
        }
        guard !readsTables || !arguments.has("--since") else {
            throw .usage(
                "'--since' cannot be used with CSV",
                hint: "use it with JSON lines that contain _sequence"
            )
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
            throw .usage(
                "invalid value '\(format)' for '--from'",
                hint: "use 'json', 'csv' or 'couchdb'"
            )
        }
    }

    private static func rehearse(_ batch: ImportBatch, _ terminal: Terminal) {
        let contents = Numbers.contents(batch.savedCount, blobs: batch.blobCount)
        terminal.rehearsed(
            "import \(contents), replacing "
                + Numbers.count(batch.replacedCount, "existing document") + unchanged(batch),
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
        _ missing: MissingBlobReport,
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
