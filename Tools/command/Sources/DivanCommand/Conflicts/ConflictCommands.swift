import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions
import DivanStudio

/// `divan conflicts ls`.
enum ConflictListCommand: Command {
    static let syntax = CommandSyntax(
        name: "conflicts ls",
        summary: "list the documents in conflict",
        operands: [.database],
        options: [
            .collections("list only these collections (default: all)"),
            .json,
        ],
        details: """
            Prints collection/document, the local revision and the peer's revision. A pull resolves
            the conflicts that it finds, unless --conflicts leave is given or its resolver fails.
            Conflicts are also listed while a resolver is running.
            """,
        examples: ["divan conflicts ls notes", "divan conflicts ls notes --json | jq .id"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let wanted = try arguments.collectionPaths()
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        try arguments.database.require(wanted, in: store)
        var count = 0
        for path in wanted.isEmpty ? try store.collections() : wanted {
            for conflict in try conflicts(in: path, store) {
                count += 1
                show(conflict, in: path, terminal)
            }
        }
        if count == 0 { terminal.note("No conflicts") }
    }

    private static func conflicts(
        in path: CollectionPath,
        _ store: Store
    ) throws -> [StoredConflict] {
        try store.read { reader in
            try reader.conflicts(in: path).compactMap { try reader.conflict(of: $0, in: path) }
        }
    }

    private static func show(
        _ conflict: StoredConflict,
        in path: CollectionPath,
        _ terminal: Terminal
    ) {
        if terminal.isJSON {
            let object: JSON = [
                "id": .string(conflict.documentID.text), "collection": .string(path.wireName),
                "local": .string("\(conflict.local.revisionID)"),
                "remote": .string("\(conflict.remote.revisionID)"),
                "hasBase": .bool(conflict.base != nil),
            ]
            return terminal.result(object.canonicalText)
        }
        let sides = [conflict.local, conflict.remote].map { side in
            "\(side.revisionID)".prefix(12) + (side.isTombstone ? " (deleted)" : "")
        }
        let place = "\(path.wireName)/\(conflict.documentID)".escapingControlCharacters()
        terminal.result("\(place)  ours \(sides[0])  theirs \(sides[1])")
    }
}

/// `divan conflicts show`.
enum ConflictShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "conflicts show",
        summary: "show both sides of a conflict and their common ancestor",
        operands: [.database, .document],
        options: [.collection, .json],
        details: """
            Only fields that differ are shown: + was added since the common ancestor, - was
            removed, ~ was changed. Without a common ancestor, the two sides are compared with each
            other. The revisions of the document are shown first.
            """,
        examples: ["divan conflicts show notes monday"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = try arguments.collectionPath()
        let documentID = arguments.documentID(at: 1)
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let (conflict, history, remotes) = try store.read { reader in
            let conflict = try OpenConflict.read(documentID, in: path, reader)
            guard let history = try reader.revisions(of: documentID, in: path) else {
                throw reader.noDocument(documentID, in: path)
            }
            return (conflict, history, try reader.remotes())
        }
        guard !terminal.isJSON else {
            let graph = RevisionGraph(history, remotes: remotes, source: store.source)
            let object: JSON = [
                "id": .string(documentID.text), "collection": .string(path.wireName),
                "local": try OpenConflict.json(conflict.local),
                "remote": try OpenConflict.json(conflict.remote),
                "base": try conflict.base.map { try OpenConflict.json($0) } ?? .null,
                "revisions": .array(graph.nodes),
            ]
            return terminal.result(object.canonicalText)
        }
        let drawing = HistoryDrawing(history, remotes: remotes, source: store.source)
        for line in drawing.lines { terminal.result(line) }
        let comparison = try SideComparison(conflict)
        for line in comparison.lines { terminal.result(line.escapingControlCharacters()) }
        terminal.note(
            "hint: resolve it with divan conflicts resolve \(arguments.database.word) "
                + documentID.text.wordForShell.escapingControlCharacters()
                + (path == .default ? "" : " -c \(path.wireName)")
                + " --local, --remote, --merge, --edit or --delete"
        )
    }
}

/// The conflict of a document, which must have one.
enum OpenConflict {
    static func read(
        _ documentID: DocumentID,
        in path: CollectionPath,
        _ reader: StoreReader
    ) throws -> StoredConflict {
        if let conflict = try reader.conflict(of: documentID, in: path) { return conflict }
        let document = try reader.document(documentID, in: path, includingTombstones: true)
        guard document != nil else { throw reader.noDocument(documentID, in: path) }
        throw Failure(
            kind: .notFound,
            sentence: "document \(path.wireName)/\(documentID) is not in conflict",
            hint: "run 'divan conflicts ls' to list the conflicts"
        )
    }

    static func json(_ side: StoredRevision) throws -> JSON {
        [
            "revision": .string("\(side.revisionID)"), "deleted": .bool(side.isTombstone),
            "body": side.body.isEmpty ? .null : try JSON(storedBody: side.body),
        ]
    }
}
