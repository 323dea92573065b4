import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// `divan expire`.
enum ExpireCommand: Command {
    static let syntax = CommandSyntax(
        name: "expire",
        summary: "show, set or clear when a document purges itself",
        operands: [.database, .document, .init(name: "WHEN", isOptional: true)],
        options: [
            .collection,
            .flag("--clear", "keep the document for good"),
            .json,
        ],
        details: """
            WHEN is a date, a date and a time (UTC unless a zone follows), or a distance from
            now: 90s, 15m, 12h, 30d, 4w. Without it the moment is printed, or "never".
            Whatever opens the database with Divan's API purges in time; divan purge --expired
            does it now; a time that is over purges at once. Expiring is local: it does not replicate.
            """,
        examples: [
            "divan expire notes draft-1 30d",
            "divan expire notes draft-1 2027-01-01T00:00Z",
            "divan expire notes draft-1 --clear",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentID = arguments.documentID(at: 1)
        let text = arguments.operands.dropFirst(2).first
        guard text == nil || !arguments.has("--clear") else {
            throw Failure.usage("divan expire takes either WHEN or --clear")
        }
        let time = try text.map { text throws(Failure) in
            try Moment.reading(text, now: Moment.now())
        }
        guard time != nil || arguments.has("--clear") else {
            return try show(documentID, collection, arguments, terminal)
        }
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let isOver = time.map { $0 <= Moment.now() } ?? false
        try store.write { writer in
            guard try writer.document(documentID, in: collection) != nil else {
                throw writer.noDocument(documentID, in: collection)
            }
            guard !isOver else {
                _ = try writer.purge(documentID, in: collection)
                return
            }
            try writer.setExpiration(time, of: documentID, in: collection)
        }
        let moment =
            isOver
            ? "is purged: that time is over"
            : time.map { "expires at \(Moment.text($0))" } ?? "does not expire"
        terminal.note("\(documentID.text.escapingControlCharacters()) \(moment)")
    }

    private static func show(
        _ documentID: DocumentID,
        _ collection: CollectionPath,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let time = try store.read { reader in
            guard try reader.document(documentID, in: collection) != nil else {
                throw reader.noDocument(documentID, in: collection)
            }
            return try reader.expiration(of: documentID, in: collection)
        }
        let text = time.map { Moment.text($0) }
        if terminal.isJSON {
            let object: JSON = [
                "id": .string(documentID.text), "expires": text.map { .string($0) } ?? .null,
            ]
            terminal.result(object.canonicalText)
        } else {
            terminal.result(text ?? "never")
        }
    }
}
