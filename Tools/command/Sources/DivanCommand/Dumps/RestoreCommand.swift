import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform

/// `divan restore`.
enum RestoreCommand: Command {
    static let syntax = CommandSyntax(
        name: "restore",
        summary: "recreate a database from a dump",
        operands: [.database, .init(name: "FILE", isRepeating: true, completion: .file)],
        options: [
            KeyOptions.sealing,
            .value("--at", "TIME", "the newest state in a directory of backups at this time"),
            .json,
        ],
        details: """
            DB must not exist. FILE is a dump; - is standard input. If dumps were made with
            --since, give them after the dump that they continue. DB is encrypted if a key or
            --encrypt is given.

            If FILE is a directory written by 'divan backup', the newest backup is restored. With
            --at, it is the newest one that began at that time or before. TIME is a date, a date
            and time, or how long ago it was, such as 90m or 2d.

            Documents keep their revision IDs, history, conflicts, blobs, expirations and
            sequences. Indexes are rebuilt, and expired documents are skipped. The new database has
            its own UUIDs, so its first sync with each peer compares all documents. Nothing is
            restored from a truncated or changed file. Blobs that were damaged before the dump are
            skipped and listed, with exit code 8.
            """,
        examples: [
            "divan restore shop-again shop.dump", "divan restore shop-again monday tuesday",
            "divan restore shop-again /var/backups/shop --at 2026-12-31T18:00Z",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        let files = try files(arguments, terminal)
        let key = try KeyRing.shared.keyToSealWith(arguments)
        let restoration = try DumpRestoration(creating: path.bundle, key: key)
        let progress = ProgressLine(terminal, verb: "restored")
        defer { progress.finish() }
        try Stoppable.run(leaving: "no database was created") {
            try read(files, into: restoration, progress)
        }
        progress.finish()
        report(restoration, path, terminal)
        let lost = restoration.missingBlobs.count + restoration.alteredBlobs.count
        if lost > 0 {
            throw Failure(
                kind: .partly,
                sentence:
                    "\(Numbers.count(lost, "blob")) missing or damaged in the dump",
                hint: terminal.isJSON
                    ? "'missingBlobs' and 'alteredBlobs' list them" : "they are listed above"
            )
        }
    }

    /// The dumps to read, in order.
    private static func files(
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws(Failure) -> ArraySlice<String> {
        let files = arguments.operands.dropFirst()
        guard let first = files.first else {
            throw Failure.usage("divan restore: missing argument FILE")
        }
        let time = try arguments.value("--at").map { text throws(Failure) in
            let now = Moment.now()
            if let distance = Moment.distance(text) { return now - distance }
            return try Moment.reading(text, now: now)
        }
        guard files.count == 1, (try? FileStatus(of: first))?.kind == .directory else {
            guard time == nil else {
                throw Failure.usage("'--at' needs a directory written by 'divan backup'")
            }
            return files
        }
        let directory = BackupDirectory(path: first)
        let chain = try directory.chain(of: arguments.database.name, at: time)
        if let last = chain.last {
            terminal.note("Restoring the backup from \(Moment.text(last.time))")
        }
        return chain.map { directory.place(of: $0.fileName) }[...]
    }

    /// Reads all files into the database.
    private static func read(
        _ files: ArraySlice<String>,
        into restoration: DumpRestoration,
        _ progress: ProgressLine
    ) throws {
        let totalBytes = InputSize.bytes(of: files)
        let indexing = IndexBuildControl()
        Interruption.current?.onRequest { indexing.cancel() }
        // Opened one after the other, when the ones before were read.
        let sources = files.map { file in
            var input: InputFile?
            return ByteSource(name: file == "-" ? StandardStreams.input : file) {
                let opened = try input ?? InputFile(file)
                input = opened
                return try opened.read()
            }
        }
        try restoration.read(sources, indexing: indexing) {
            try progress.show($0, of: totalBytes)
        }
    }

    private static func report(
        _ restoration: DumpRestoration,
        _ path: DatabasePath,
        _ terminal: Terminal
    ) {
        let (lost, altered) = (restoration.missingBlobs, restoration.alteredBlobs)
        if terminal.isJSON {
            var object: JSONObject = [
                "database": .string(path.bundle), "documents": JSON(restoration.documentCount),
                "blobs": JSON(restoration.blobCount), "expired": JSON(restoration.expiredCount),
                "missingBlobs": .array(lost.map { .string("\($0)") }),
            ]
            object["indexes"] = JSON(restoration.indexCount)
            if !restoration.omittedIndexes.isEmpty {
                object["leftOutIndexes"] = .array(
                    restoration.omittedIndexes.map { .string($0.escapingControlCharacters()) }
                )
            }
            if !altered.isEmpty {
                object["alteredBlobs"] = .array(altered.map { .string("\($0)") })
            }
            return terminal.result(JSON.object(object).canonicalText)
        }
        terminal.noteMissing(lost)
        terminal.noteMissing(
            altered,
            because: "damaged before it was dumped, skipped"
        )
        for line in restoration.omittedIndexes {
            terminal.warn("\(line.escapingControlCharacters()); create it with 'divan index make'")
        }
        var contents = Numbers.contents(restoration.documentCount, blobs: restoration.blobCount)
        if restoration.indexCount > 0 {
            contents += ", \(Numbers.count(restoration.indexCount, "index", "indexes"))"
        }
        terminal.note("Restored \(contents) to \(path.bundle)")
        if restoration.expiredCount > 0 {
            terminal.note(
                "Skipped \(Numbers.count(restoration.expiredCount, "expired document"))"
            )
        }
    }
}
