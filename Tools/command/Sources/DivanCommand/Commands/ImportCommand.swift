import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan import`.
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import",
        summary: "import documents from JSON, CSV, CouchDB and other files",
        operands: [.database, .init(name: "FILE", isRepeating: true, completion: .file)],
        options: [
            .collection,
            .value("--id-from", "KEY", "take the document ID from this key (default: _id)"),
            .value(
                "--from",
                "FORMAT",
                completion: .word(of: ImportFormat.allCases.map(\.rawValue)),
                "json, csv, couchdb, mongodb or geojson (default: by the suffix of FILE, or json)"
            ),
            .value(
                "--path",
                "POINTER",
                "JSON, MongoDB: the array of documents, or the object of IDs and documents"
            ),
            .value(
                "--separator",
                "CHARACTER",
                isCharacter: true,
                completion: .word(of: ["tab", "comma", "semicolon", "pipe"]),
                "CSV: the field separator (default: detected)"
            ),
            .value("--text", "COLUMN", isRepeating: true, "CSV: keep the values of COLUMN as text"),
            .flag("--keep-id", "keep the ID's key in the body"),
            .value("--since", "SEQUENCE", "skip lines up to this _sequence")
                .grouped(.filters),
            .flag("--keep-revisions", "CouchDB: keep revision IDs and history"),
            .flag("--keep-going", "skip invalid documents, and continue"),
            .dryRun,
            .json,
        ],
        details: """
            FILE contains one JSON object per line, or one array of objects; - is standard input. If
            it is a directory, each of its .json files contains one object, and the file name is the
            ID. Documents without an ID get a random one. {"_id":"x","_deleted":true} deletes x. The
            collection is created if it does not exist. A file that is compressed with gzip or
            Zstandard is decompressed.

            With --path, the documents are at a JSON pointer: --path /items for {"items":[…]},
            --path . for {"id":{…}}. mongodb is the Extended JSON of mongoexport. Each feature of
            geojson is a document. The first line of a CSV file contains the keys. An unquoted field
            becomes a number, true, false or null if JSON would write it the same way; 007 and 1.50
            stay text. Blobs can be embedded as base64. Docs/guides/backup.md describes the formats.

            Documents that exist with the same content are skipped, so you can run an interrupted
            import again. Missing blobs are listed, with exit code 8.
            """,
        examples: [
            "divan import travel routes.jsonl -c travel.routes",
            "divan import shop prices.csv --id-from sku --text zip",
            "divan import shop all-docs.json --from couchdb",
            "divan import shop items.json.gz --path /items --id-from sku",
            "divan import travel routes.jsonl -c travel.routes --dry-run",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let files = arguments.operands.dropFirst()
        let format = try DocumentFormat.choosing(arguments)
        guard !files.isEmpty else { throw Failure.usage("divan import: missing argument FILE") }
        let isDry = arguments.has("--dry-run")
        let rules = try DocumentImport.Rules(collection, arguments)
        let store = try open(arguments, rules)
        defer { try? store.close() }
        var batch = DocumentImport(into: store, rules: rules)
        let interruption = Interruption.forVerb()
        let totalBytes = InputSize.bytes(of: files)
        let progress = ProgressLine(terminal, verb: isDry ? "read" : "imported")
        defer { progress.finish() }
        do {
            for file in files {
                try format(file).read(file: file, until: interruption) { entry in
                    if interruption.isRequested { throw interruption.failure }
                    try batch.add(&entry) {
                        progress.finish()
                        terminal.report(problem: $0.text)
                    }
                    progress.show(ProgressLine.Reading(batch.progress, of: totalBytes))
                }
            }
            try batch.finish { terminal.report(problem: $0.text) }
        } catch {
            throw try batch.close(after: error, isDry: isDry)
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

    /// Opens the database; the collection is created when documents are saved.
    private static func open(
        _ arguments: Arguments,
        _ rules: DocumentImport.Rules
    ) throws -> Store {
        let store = try arguments.database.open(forWriting: !rules.isDry)
        guard rules.keepsRevisions, store.scheme != .trees else { return store }
        try store.close()
        throw Failure(
            kind: .invalid,
            sentence: "\(arguments.operands[0]) uses version vectors, but '--keep-revisions' "
                + "requires revision trees",
            hint: "leave '--keep-revisions' out, or import into a database with revision trees"
        )
    }

    private static func rehearse(_ batch: DocumentImport, _ terminal: Terminal) {
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
        _ batch: DocumentImport,
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

    private static func unchanged(_ batch: DocumentImport) -> String {
        let count = batch.unchangedCount
        guard count > 0 else { return "" }
        return "; \(Numbers.count(count, "document")) \(count == 1 ? "is" : "are") unchanged"
    }
}
