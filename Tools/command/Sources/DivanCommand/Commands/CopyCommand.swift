import CouchbaseLiteSwift
import DivanCommandLine
import DivanExchange
import DivanJSON
import Foundation

/// `divan cp`.
enum CopyCommand: Command {
    static let syntax = CommandSyntax(
        name: "cp",
        summary: "copy a database, or convert it to or from JSON lines",
        operands: [
            .init(name: "FROM", completion: .database), .init(name: "TO", completion: .database),
        ],
        options: [KeyOptions.sealing, .json],
        details: """
            The copy has its own UUIDs, so peers sync with it as a separate database. The original
            may be in use; the copy contains what was committed. A copy of an encrypted database
            has the same key.

            A name that ends in .jsonl is a file of JSON lines. It contains the documents of all
            collections (_collection names the collection) with their blobs, but without revision
            history. It is not encrypted; a database created from it is encrypted if a key is
            given.

            Existing files and databases are not overwritten.
            """,
        examples: [
            "divan cp travel travel-test", "divan cp travel travel.jsonl",
            "divan cp travel.jsonl travel-again",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (source, target) = (arguments.operands[0], arguments.operands[1])
        guard DatabasePath.isLines(source) || !arguments.has(KeyOptions.sealing.name) else {
            throw Failure.usage(
                "'--encrypt' requires a .jsonl file as FROM",
                hint: "run 'divan encrypt DB' to encrypt a database"
            )
        }
        switch (DatabasePath.isLines(source), DatabasePath.isLines(target)) {
        case (false, false):
            let target = DatabasePath(target)
            let source = arguments.database
            // The key of an encrypted database may have to be asked for.
            if source.isSealed { _ = try KeyRing.shared.key(of: source) }
            try Stoppable.run(leaving: "no copy was created") { try source.copy(to: target) }
            printResult(
                try target.using(.reading) { try $0.documentCount() },
                target.bundle,
                terminal
            )
        case (false, true):
            try write(arguments.database, to: target, terminal)
        case (true, false):
            try read(source, into: DatabasePath(target), arguments, terminal)
        case (true, true):
            throw Failure.usage("divan cp: one of FROM and TO must be a database")
        }
    }

    private static func write(
        _ path: DatabasePath,
        to file: String,
        _ terminal: Terminal
    ) throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure(
                kind: .conflict,
                sentence: "\(file) already exists",
                hint: "choose another name"
            )
        }
        let documents = try path.using(.reading) { database in
            try Stoppable.run(leaving: "no file was written") {
                try write(database, to: file, terminal)
            }
        }
        documents.damaged.report(terminal)
        printResult(documents.count, file, terminal)
        try documents.damaged.fail()
    }

    /// Writes all documents that can be read.
    private static func write(
        _ database: Database,
        to file: String,
        _ terminal: Terminal
    ) throws -> DocumentExport {
        let output = try DocumentOutput(file, terminal)
        var export = output.export(embeddingBlobs: true) { _ in try Interruption.check() }
        try database.withSnapshot { snapshot in
            for collection in try snapshot.collections() {
                try Interruption.check()
                try export.add(collection, in: snapshot, namingCollection: true)
            }
        }
        try export.finish()
        try output.finish()
        return export
    }

    private static func read(
        _ file: String,
        into path: DatabasePath,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        _ = try InputFile(file)
        let key = try KeyRing.shared.keyToSealWith(arguments)
        try Stoppable.run(leaving: "no database was created") {
            try read(file, into: DocumentImport(creating: path.bundle, key: key), path, terminal)
        }
    }

    private static func read(
        _ file: String,
        into batch: DocumentImport,
        _ path: DatabasePath,
        _ terminal: Terminal
    ) throws {
        var batch = batch
        let missing: MissingBlobReport
        do {
            try DocumentFormat.json.read(file: file) { entry in
                try Interruption.check()
                try batch.add(&entry) { terminal.warn($0.text) }
            }
            try batch.commit()
            missing = MissingBlobReport(try batch.missingBlobs())
            try batch.place()
        } catch {
            batch.discard()
            throw error
        }
        printResult(batch.savedCount, path.bundle, terminal)
        if !terminal.isJSON, batch.ids.randomCount > 0 {
            terminal.warn(
                "\(Numbers.count(batch.ids.randomCount, "document")) without '_id' got random IDs; "
                    + "use 'divan import --id-from KEY' to take the IDs from another key"
            )
        }
        try missing.fail(terminal)
    }

    private static func printResult(_ count: Int, _ path: String, _ terminal: Terminal) {
        if terminal.isJSON {
            let object: JSON = ["documents": JSON(count), "path": .string(path)]
            return terminal.result(object.canonicalText)
        }
        terminal.note("Copied \(Numbers.count(count, "document")) to \(path)")
    }
}
