import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanRevisions

/// `divan purge`.
enum PurgeCommand: Command {
    static let syntax = CommandSyntax(
        name: "purge",
        summary: "remove documents from this database only (not replicated)",
        operands: [
            .database,
            .init(name: "ID", isOptional: true, isRepeating: true, completion: .document),
        ],
        options: [
            .collection,
            .flag("--expired", "purge the expired documents of all collections"),
            .unneededYes,
            .dryRun,
            .json,
        ],
        details: """
            If a peer still has the document, the next pull downloads it again. Does not ask for
            confirmation.
            """,
        examples: [
            "divan purge notes draft-1 draft-2", "divan purge notes --expired --dry-run",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let documentIDs = arguments.operands.dropFirst().withoutRepetitions.map {
            DocumentID(unchecked: $0)
        }
        guard documentIDs.isEmpty == arguments.has("--expired") else {
            throw Failure.usage("divan purge: give either document IDs or '--expired'")
        }
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry, keepingExpired: true)
        defer { try? store.close() }
        let count =
            if arguments.has("--expired") {
                try isDry
                    ? store.expiredCount(now: Moment.now()) : store.purgeExpired(now: Moment.now())
            } else {
                try purge(documentIDs, of: collection, in: store, isDry: isDry)
            }
        terminal.done(
            "\(isDry ? "Would purge" : "Purged") \(Numbers.count(count, "document"))",
            members(count, documentIDs, isDry: isDry)
        )
    }

    /// Like those of `divan rm`; of expired documents only the number is known.
    private static func members(
        _ count: Int,
        _ documentIDs: [DocumentID],
        isDry: Bool
    ) -> JSONObject {
        var members: JSONObject = ["documents": JSON(count), "dryRun": .bool(isDry)]
        if !documentIDs.isEmpty {
            members["purged"] = .array(documentIDs.map { .string($0.text) })
        }
        return members
    }

    private static func purge(
        _ documentIDs: [DocumentID],
        of collection: CollectionPath,
        in store: Store,
        isDry: Bool
    ) throws -> Int {
        if isDry {
            try store.read { reader in
                for documentID in documentIDs {
                    let there = try reader.document(
                        documentID,
                        in: collection,
                        includingTombstones: true
                    )
                    guard there != nil else { throw reader.noDocument(documentID, in: collection) }
                }
            }
        } else {
            try store.write { writer in
                for documentID in documentIDs {
                    guard try writer.purge(documentID, in: collection) else {
                        throw writer.noDocument(documentID, in: collection)
                    }
                }
            }
        }
        return documentIDs.count
    }
}
