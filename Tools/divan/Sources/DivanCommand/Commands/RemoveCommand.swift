import DivanCommandLine
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
        ],
        examples: ["divan rm notes monday", "divan rm notes draft-1 draft-2 --purge"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentIDs = arguments.operands.dropFirst().map { DocumentID(unchecked: $0) }
        guard !documentIDs.isEmpty else { throw Failure.usage("divan rm: ID is missing") }
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        try store.write { writer in
            for documentID in documentIDs {
                guard try writer.document(documentID, in: collection) != nil else {
                    throw Failure.noDocument(documentID, in: collection)
                }
                if arguments.has("--purge") {
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
        let verb = arguments.has("--purge") ? "Purged" : "Deleted"
        terminal.note("\(verb) \(Numbers.count(documentIDs.count, "document"))")
    }
}
