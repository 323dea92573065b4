import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// `divan import-cblite`.
enum ImportForeignCommand: Command {
    static let syntax = CommandSyntax(
        name: "import-cblite",
        summary: "import a Couchbase Lite database",
        operands: [
            .init(name: "OLD", completion: .file), .init(name: "NEW", completion: .database),
        ],
        options: [
            .flag("--copy", "give NEW its own identity, for when OLD stays in use"),
            KeyOptions.sealing,
            .json,
        ],
        details: """
            Imports databases of Couchbase Lite 2, 3 and 4 (a directory OLD.cblite2), and does not
            change them. OLD must not be open for writing in another program. Documents keep their
            revision IDs, history, blobs, conflicts and expirations. The next sync with the same
            server continues where the last one ended. NEW is encrypted if a key or --encrypt is
            given.

            Damaged records are skipped and listed, with exit code 8. If only the history of a
            document is damaged, its current revision is imported. After damage, the next sync with
            each peer compares all documents. If the end of the file is missing, the rest is
            imported. If the list of tables or the metadata of the database is damaged, nothing is.
            """,
        examples: ["divan import-cblite /old/travel.cblite2 travel && divan ls travel"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (old, new) = (DatabasePath(arguments.operands[0]), DatabasePath(arguments.operands[1]))
        var configuration = DatabaseConfiguration()
        configuration.directory = new.parent
        configuration.encryptionKey = try KeyRing.shared.keyToSealWith(arguments)
        let start = ContinuousClock.now
        let report = try Stoppable.run(leaving: "no database was created") {
            do {
                return try Database.importing(
                    fromPath: old.bundle,
                    toDatabase: new.name,
                    withConfig: configuration,
                    keepingIdentity: !arguments.has("--copy")
                )
            } catch {
                var failure = Failure(explaining: error)
                // Its page is about missing documents.
                if failure.code == CBLError.notFound { failure.code = nil }
                throw failure
            }
        }
        let seconds = (ContinuousClock.now - start).inSeconds
        printResult(report, seconds, terminal)
        let lostCount = report.damageCount + report.missingBlobs.count
        if lostCount > 0 {
            throw Failure(
                kind: .partly,
                sentence: "\(Numbers.count(lostCount, "item")) of the old database "
                    + "\(lostCount == 1 ? "is" : "are") damaged or missing",
                hint: terminal.isJSON
                    ? "'damages' and 'missingBlobs' list them" : "they are listed above"
            )
        }
    }

    /// Losses that are listed individually.
    private static let toldCount = 40

    private static func printResult(
        _ report: DatabaseImport,
        _ seconds: Double,
        _ terminal: Terminal
    ) {
        if terminal.isJSON {
            let object: JSON = [
                "documents": JSON(report.documentCount), "tombstones": JSON(report.tombstoneCount),
                "conflicts": JSON(report.conflictCount), "expired": JSON(report.expiredCount),
                "blobs": JSON(report.blobCount), "checkpoints": JSON(report.checkpointCount),
                "missingBlobs": .array(report.missingBlobs.map { .string($0) }),
                "damages": .array(report.damages.map { .string($0) }),
                "remotes": .array(report.remotes.map { .string($0) }),
                "collections": .array(report.collections.map { .string($0) }),
                "seconds": .double(seconds),
            ]
            return terminal.result(object.canonicalText)
        }
        let losses =
            report.damages
            + report.missingBlobs.map { "blob \($0): missing or damaged" }
        for loss in losses.prefix(toldCount) { terminal.note("divan: \(loss)") }
        if losses.count > toldCount {
            terminal.note("divan: and \(losses.count - toldCount) more (use '--json' for all)")
        }
        var line = "Imported \(Numbers.count(report.documentCount, "document"))"
        var parts: [String] = []
        if report.tombstoneCount > 0 {
            parts.append(Numbers.count(report.tombstoneCount, "tombstone"))
        }
        if report.conflictCount > 0 {
            parts.append(Numbers.count(report.conflictCount, "open conflict"))
        }
        if !parts.isEmpty { line += " (\(parts.joined(separator: ", ")))" }
        if report.blobCount > 0 { line += " and \(Numbers.count(report.blobCount, "blob"))" }
        terminal.note(line + " in \(Numbers.seconds(seconds))")
        for remote in report.remotes {
            terminal.note("The next sync with \(remote) continues from its checkpoint")
        }
    }
}
