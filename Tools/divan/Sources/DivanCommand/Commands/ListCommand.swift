import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// `divan ls`.
enum ListCommand: Command {
    static let syntax = CommandSyntax(
        name: "ls",
        summary: "list the documents of a collection",
        operands: [.database, .init(name: "PREFIX", isOptional: true)],
        options: [
            .collection,
            .flag("--long", short: "-l", "sequence, flags, size, expiry and revision of each"),
            .value("--limit", "N", "at most N documents"),
            .value("--where", "CONDITION", "only documents that meet this condition, in SQL++"),
            .json,
        ],
        details: "With PREFIX, only documents whose ID begins with it. In the long form the "
            + "flags are B (has blobs) and C (in conflict); the time is when the document expires.",
        examples: [
            "divan ls travel -c geo.countries -l", "divan ls travel route_ --limit 10",
            "divan ls travel -c travel.hotels --where 'stars > 3'",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let limit = try arguments.number("--limit", in: 1...Int.max) ?? Int.max
        let prefix = arguments.operands.dropFirst().first ?? ""
        let isLong = arguments.has("--long") || terminal.isJSON
        let session = try QuerySession(arguments.database)
        let store = session.store
        defer { try? store.close() }
        let wanted = try arguments.value("--where").map { condition in
            try session.documentIDs(in: collection, where: condition)
        }
        try store.read { reader in
            try terminal.results { line in
                var rest = limit
                try reader.forEachDocumentID(in: collection, prefix: prefix) { documentID in
                    guard wanted?.contains(documentID) ?? true else { return true }
                    guard isLong else {
                        try line(documentID.escapingControlCharacters())
                        rest -= 1
                        return rest > 0
                    }
                    guard let document = try reader.document(documentID, in: collection) else {
                        return true
                    }
                    let entry = Entry(
                        document: document,
                        expiration: try reader.expiration(of: documentID, in: collection)
                    )
                    try line(terminal.isJSON ? entry.json : entry.line)
                    rest -= 1
                    return rest > 0
                }
            }
        }
    }

    /// A document in the long form.
    private struct Entry {
        var document: StoredDocument
        var expiration: Int64?

        var line: String {
            let sequence = String(document.sequence)
            let padding = String(repeating: " ", count: max(0, 8 - sequence.count))
            let flags =
                (document.flags.contains(.hasBlobs) ? "B" : "-")
                + (document.flags.contains(.conflicted) ? "C" : "-")
            let size = Numbers.bytes(document.body.count)
            let gap = String(repeating: " ", count: max(0, 9 - size.count))
            let expiry = (expiration.map { Moment.text($0) } ?? "-")
                .padding(to: Moment.characterCount)
            let revision = String(document.revisionID.description.prefix(12))
            return "\(padding)\(sequence)  \(flags)  \(gap)\(size)  \(expiry)  \(revision)  "
                + document.documentID.escapingControlCharacters()
        }

        var json: String {
            var object: JSONObject = [
                "id": .string(document.documentID.text),
                "revision": .string(document.revisionID.description),
                "sequence": JSON(document.sequence), "bytes": JSON(document.body.count),
                "hasBlobs": .bool(document.flags.contains(.hasBlobs)),
                "conflict": .bool(document.flags.contains(.conflicted)),
            ]
            if let expiration { object["expires"] = .string(Moment.text(expiration)) }
            return JSON.object(object).canonicalText
        }
    }
}

extension StoreReader {
    /// Calls `body` with each live document's ID, in order, until it returns `false`.
    func forEachDocumentID(
        in collection: CollectionPath,
        prefix: String = "",
        _ body: (DocumentID) throws -> Bool
    ) throws {
        var last: DocumentID?
        while true {
            let page = try documentIDs(in: collection, after: last, limit: 500)
            for documentID in page where documentID.begins(with: prefix) {
                if try !body(documentID) { return }
            }
            guard page.count == 500 else { return }
            last = page.last
        }
    }
}
