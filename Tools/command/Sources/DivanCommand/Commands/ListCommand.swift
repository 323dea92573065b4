import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan ls`.
enum ListCommand: Command {
    static let syntax = CommandSyntax(
        name: "ls",
        summary: "list the documents of a collection",
        operands: [.database, .init(name: "PATTERN", isOptional: true)],
        options: [
            .collection.grouped(.filters),
            .flag("--long", short: "-l", "show sequence, flags, size, expiration and revision")
                .grouped(.output),
            .value("--limit", "N", "list at most N documents").grouped(.filters),
            .value("--offset", "N", "skip the first N documents").grouped(.filters),
            .flag("--desc", "sort by ID in descending order").grouped(.output),
            .flag("--body", "show the body of each document").grouped(.output),
            .value("--where", "CONDITION", "only documents that match this SQL++ condition")
                .grouped(.filters),
            .json,
        ],
        details: """
            PATTERN is the beginning of an ID, or a pattern for the whole ID in which * matches any
            text and ? matches one character. In the long form, the flags are B (has blobs) and C
            (in conflict), and the time is the expiration. Expired documents are not listed, even
            before they are purged.
            """,
        examples: [
            "divan ls travel -c geo.countries -l", "divan ls travel route_ --limit 10",
            "divan ls travel '*_2024' --desc --body",
            "divan ls travel -c travel.hotels --where 'stars > 3'",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let page = try Page(arguments)
        let isLong = arguments.has("--long") || terminal.isJSON
        let isWhole = arguments.has("--body")
        let session = try QuerySession(arguments.database)
        let store = session.store
        defer { try? store.close() }
        let wanted = try arguments.value("--where").map { condition in
            try session.documentIDs(in: collection, where: condition)
        }
        var count = 0
        try store.read { reader in
            let living = try UnexpiredDocuments(in: reader)
            try terminal.results { line in
                let ids = {
                    try reader.forEachDocumentID(in: collection, prefix: $0, among: living, $1)
                }
                try page.forEach(of: ids, among: wanted) { documentID in
                    count += 1
                    guard isLong || isWhole else {
                        return try line(documentID.escapingControlCharacters())
                    }
                    guard let document = try reader.document(documentID, in: collection) else {
                        return try reader.confirmList(of: collection)
                    }
                    let body = isWhole ? String(decoding: document.body, as: UTF8.self) : nil
                    guard isLong else {
                        return try line(
                            documentID.escapingControlCharacters() + "  " + (body ?? "")
                        )
                    }
                    let entry = Entry(
                        document: document,
                        expiration: try reader.expiration(of: documentID, in: collection),
                        body: body
                    )
                    try line(terminal.isJSON ? entry.json : entry.line)
                }
            }
        }
        if count == 0 { try hint(at: arguments, store, terminal) }
    }

    /// An empty default collection is often not what was meant.
    private static func hint(
        at arguments: Arguments,
        _ store: Store,
        _ terminal: Terminal
    ) throws {
        guard !arguments.has("--collection"), arguments.operands.count == 1 else { return }
        let others = try store.read { reader -> [String] in
            // There are documents, but a condition or a pattern excludes them all.
            guard try reader.count(in: .default) == 0 else { return [] }
            return try reader.collections().filter { $0 != .default }.compactMap { path in
                let count = try reader.count(in: path)
                return count > 0 ? "\(path.wireName) (\(Numbers.grouped(count)))" : nil
            }
        }
        guard let first = others.first?.split(separator: " ").first else { return }
        let named = others.prefix(hintCount).joined(separator: ", ")
        let more = others.count > hintCount ? " and \(others.count - hintCount) more" : ""
        terminal.note(
            "No documents in the default collection; other collections have some: \(named)\(more)\n"
                + "hint: run 'divan ls \(arguments.database.word) -c \(first)'"
        )
    }

    private static let hintCount = 5

    /// A document in the long form.
    private struct Entry {
        var document: StoredDocument
        var expiration: Int64?
        var body: String?

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
                + document.documentID.escapingControlCharacters() + (body.map { "  " + $0 } ?? "")
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
            if let body { object["body"] = (try? JSON(storedBody: Array(body.utf8))) ?? .null }
            return JSON.object(object).canonicalText
        }
    }
}

extension StoreReader {
    /// Calls `body` with each document after a sequence, tombstones too, in ascending order; and
    /// `damaged` with the ID of each that cannot be read.
    func forEachDocument(
        in collection: CollectionPath,
        after sequence: UInt64 = 0,
        damaged: (DocumentID) throws -> Void,
        _ body: (StoredDocument) throws -> Void
    ) throws {
        var pages = changes(in: collection, after: sequence)
        while let page = try pages.next() {
            for change in page.damaged { try damaged(change.documentID) }
            for document in page.documents { try body(document) }
        }
    }

    /// Calls `body` with the ID of each document that is not deleted, in order, until it returns `false`;
    /// with `living` only those that have not expired.
    ///
    /// - Throws: Also at the end, for a document that damage hides from the list.
    func forEachDocumentID(
        in collection: CollectionPath,
        prefix: String = "",
        among living: UnexpiredDocuments? = nil,
        _ body: (DocumentID) throws -> Bool
    ) throws {
        var (last, count) = (DocumentID?.none, 0)
        while true {
            let page = try documentIDs(in: collection, after: last, limit: 500)
            count += page.count
            for documentID in page where documentID.begins(with: prefix) {
                if let living, try !living.contain(documentID, in: collection, of: self) {
                    continue
                }
                if try !body(documentID) { return }
            }
            guard page.count == 500 else { break }
            last = page.last
        }
        try confirm(listedCount: count, in: collection)
    }
}
