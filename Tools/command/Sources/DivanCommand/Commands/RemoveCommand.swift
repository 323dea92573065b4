import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// `divan rm`.
enum RemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "rm",
        summary: "delete documents (the deletion replicates)",
        operands: [.database, .documents],
        options: [
            .collection,
            .flag("--purge", "purge the documents: remove them from this database only"),
            .unneededYes,
            .dryRun,
            .json,
        ],
        details: """
            Deletes all of the documents, or none of them if one cannot be deleted. Does not ask
            for confirmation.
            """,
        examples: ["divan rm notes monday", "divan rm notes draft-1 draft-2 --purge"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let name = try arguments.collection()
        let documentIDs = arguments.operands.dropFirst().withoutRepetitions
        guard !documentIDs.isEmpty else { throw Failure.usage("divan rm: missing argument ID") }
        let isPurge = arguments.has("--purge")
        let isDry = arguments.has("--dry-run")
        try arguments.database.using(isDry ? .reading : .changing) { database in
            let collection = try database.existing(name)
            if isDry {
                for id in documentIDs { _ = try collection.existing(id) }
            } else {
                try database.inBatch {
                    for id in documentIDs {
                        let document = try collection.existing(id)
                        if isPurge {
                            try collection.purge(document: document)
                        } else {
                            try collection.delete(document: document)
                        }
                    }
                }
            }
        }
        let count = Numbers.count(documentIDs.count, "document")
        let verb = isPurge ? ("Would purge", "Purged") : ("Would delete", "Deleted")
        terminal.done(
            "\(isDry ? verb.0 : verb.1) \(count)",
            [
                isPurge ? "purged" : "deleted": .array(documentIDs.map { .string($0) }),
                "documents": JSON(documentIDs.count), "dryRun": .bool(isDry),
            ]
        )
    }
}
