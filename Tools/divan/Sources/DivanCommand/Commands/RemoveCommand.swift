import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// `divan rm`.
enum RemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "rm",
        summary: "delete documents; the deletion replicates",
        operands: [.database, .documents],
        options: [
            .collection,
            .flag("--purge", "forget them here only, without a trace"),
            .yes,
            .dryRun,
            .json,
        ],
        details:
            "Either all of them are deleted, or none. Nothing is asked; --yes changes nothing.",
        examples: ["divan rm notes monday", "divan rm notes draft-1 draft-2 --purge"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentIDs = arguments.operands.dropFirst().map { DocumentID(unchecked: $0) }
        guard !documentIDs.isEmpty else { throw Failure.usage("divan rm: ID is missing") }
        let isPurge = arguments.has("--purge")
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        if isDry {
            try store.read { reader in
                for documentID in documentIDs {
                    guard try reader.document(documentID, in: collection) != nil else {
                        throw reader.noDocument(documentID, in: collection)
                    }
                }
            }
        } else {
            try remove(documentIDs, of: collection, isPurge: isPurge, in: store)
        }
        let count = Numbers.count(documentIDs.count, "document")
        let verb = isPurge ? ("Would purge", "Purged") : ("Would delete", "Deleted")
        terminal.done(
            "\(isDry ? verb.0 : verb.1) \(count)",
            [
                isPurge ? "purged" : "deleted": .array(documentIDs.map { .string($0.text) }),
                "dryRun": .bool(isDry),
            ]
        )
    }

    private static func remove(
        _ documentIDs: [DocumentID],
        of collection: CollectionPath,
        isPurge: Bool,
        in store: Store
    ) throws {
        try store.write { writer in
            for documentID in documentIDs {
                guard try writer.document(documentID, in: collection) != nil else {
                    throw writer.noDocument(documentID, in: collection)
                }
                if isPurge {
                    try writer.purge(documentID, in: collection)
                } else {
                    _ = try writer.save(
                        documentID,
                        in: collection,
                        body: Array("{}".utf8),
                        isTombstone: true,
                        hasBlobs: false,
                        parent: .current
                    )
                }
            }
        }
    }
}
