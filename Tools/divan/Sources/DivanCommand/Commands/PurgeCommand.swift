import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// `divan purge`.
enum PurgeCommand: Command {
    static let syntax = CommandSyntax(
        name: "purge",
        summary: "forget documents here, deleted ones too; this does not replicate",
        operands: [
            .database,
            .init(name: "ID", isOptional: true, isRepeating: true, completion: .document),
        ],
        options: [
            .collection,
            .flag("--expired", "every document, of any collection, whose time is over"),
            .json,
        ],
        details: "A peer that still has the document brings it back with the next pull.",
        examples: ["divan purge notes draft-1 draft-2", "divan purge notes --expired"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentIDs = arguments.operands.dropFirst().map { DocumentID(unchecked: $0) }
        guard documentIDs.isEmpty == arguments.has("--expired") else {
            throw Failure.usage("divan purge takes either document IDs or --expired")
        }
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        var count = documentIDs.count
        if arguments.has("--expired") {
            count = try store.purgeExpired(now: Moment.now())
        } else {
            try store.write { writer in
                for documentID in documentIDs {
                    guard try writer.purge(documentID, in: collection) else {
                        throw Failure.noDocument(documentID, in: collection)
                    }
                }
            }
        }
        terminal.done("Purged \(Numbers.count(count, "document"))", ["purged": JSON(count)])
    }
}
