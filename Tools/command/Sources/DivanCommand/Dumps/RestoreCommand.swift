import DivanCommandLine
import DivanJSON
import Foundation

/// `divan restore`.
enum RestoreCommand: Command {
    static let syntax = CommandSyntax(
        name: "restore",
        summary: "make a database of what divan dump wrote",
        operands: [.database, .init(name: "FILE", isRepeating: true, completion: .file)],
        options: [KeyOptions.sealing, .json],
        details: """
            DB is made, and must not be there. FILE is a dump; - is standard input. Dumps that were
            made with --since come behind the one that they follow. Revisions keep their IDs,
            documents their history, conflicts, blobs, expirations and change numbers; indexes are
            made again, and documents that have expired stay out. The new database has UUIDs of its
            own, so a replication compares everything once. A file that was cut off or changed makes no database; a blob that was
            altered before it was dumped is left out and named, with exit code 8. A dump has no
            key; with one, or with --encrypt, the new database is sealed.
            """,
        examples: ["divan restore shop-again shop.dump", "divan restore shop-again monday tuesday"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let files = arguments.operands.dropFirst()
        guard !files.isEmpty else { throw Failure.usage("divan restore: FILE is missing") }
        let path = arguments.database
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let key = try KeyRing.shared.keyToSealWith(arguments)
        let restoration = try DumpRestoration(path, now: now, key: key)
        let progress = ProgressLine(terminal, verb: "restored")
        defer { progress.finish() }
        try Stoppable.run(leaving: "no database was made") {
            try read(files, into: restoration, progress)
        }
        progress.finish()
        report(restoration, path, terminal)
        let lost = restoration.missingBlobs.count + restoration.alteredBlobs.count
        if lost > 0 {
            throw Failure(
                kind: .partly,
                sentence:
                    "\(Numbers.count(lost, "blob")) \(lost == 1 ? "is" : "are") whole in no dump; "
                    + (terminal.isJSON
                        ? "missingBlobs and alteredBlobs name them" : "the lines above say which")
            )
        }
    }

    /// Reads all files into the database, or leaves nothing behind.
    private static func read(
        _ files: ArraySlice<String>,
        into restoration: DumpRestoration,
        _ progress: ProgressLine
    ) throws {
        var reader = DumpReader()
        let totalBytes = InputSize.bytes(of: files)
        do {
            for file in files {
                var before = reader.byteCount
                try reader.read(file) { line, reader in
                    try Interruption.check()
                    let byteCount = Int(clamping: reader.byteCount - before)
                    before = reader.byteCount
                    try restoration.take(line, remotes: reader.knownRemotes, byteCount: byteCount)
                    progress.show(
                        ProgressLine.Reading(
                            documents: UInt64(restoration.documentCount),
                            bytes: reader.byteCount,
                            totalBytes: totalBytes
                        )
                    )
                }
            }
            try reader.finish()
            try restoration.finish()
        } catch {
            restoration.cancel()
            throw explaining(error, restoration)
        }
    }

    /// What is wrong with a file, and which of its blobs was altered.
    private static func explaining(
        _ error: any Error,
        _ restoration: DumpRestoration
    ) -> any Error {
        guard let failure = error as? Failure, failure.kind == .invalid,
            let digest = restoration.alteredBlobs.first
        else { return error }
        let sentence = "\(failure.sentence); the content of blob \(digest) is not what it was"
        return Failure(kind: .invalid, sentence: sentence)
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
            if !restoration.leftOutIndexes.isEmpty {
                object["leftOutIndexes"] = .array(
                    restoration.leftOutIndexes.map { .string($0.escapingControlCharacters()) }
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
            because: "its content was altered before it was dumped, left out"
        )
        for line in restoration.leftOutIndexes {
            terminal.warn("\(line.escapingControlCharacters()); divan index make makes it")
        }
        var contents = Numbers.contents(restoration.documentCount, blobs: restoration.blobCount)
        if restoration.indexCount > 0 {
            contents += ", \(Numbers.count(restoration.indexCount, "index", "indexes"))"
        }
        terminal.note("Restored \(contents) to \(path.bundle)")
        if restoration.expiredCount > 0 {
            terminal.note(
                "Left out: \(Numbers.count(restoration.expiredCount, "expired document"))"
            )
        }
    }
}
