import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// `divan edit`.
enum EditCommand: Command {
    static let syntax = CommandSyntax(
        name: "edit",
        summary: "open a document in an editor, and save what comes out",
        operands: [.database, .document],
        options: [
            .collection,
            .flag("--create", "begin with an empty document if there is none"),
        ],
        details: """
            The editor is $VISUAL, else $EDITOR, else vi. The database is free meanwhile. When the
            text is no JSON object, or somebody else has saved the document in between, nothing is
            saved and the text stays in a file whose name is told.
            """,
        examples: ["divan edit notes monday", "EDITOR='code --wait' divan edit notes monday"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentID = arguments.documentID(at: 1)
        let path = arguments.database
        let current = try current(documentID, collection, path)
        guard current != nil || arguments.has("--create") else {
            throw Failure.noDocument(documentID, in: collection)
        }
        if current == nil { _ = try DocumentID(checking: documentID.text) }
        let before = try current.map { try JSON(parsing: $0.body) } ?? [:]
        let editor = try Editor(before.indentedText() + "\n", named: documentID.text)
        try editor.run()
        var isHanded = false
        let saved = try editor.keepingText { editor -> StoredDocument? in
            let body = JSON.object(try editor.object())
            guard body != before || current == nil else { return nil }
            if let holder = HolderClient.find(path) {
                isHanded = true
                try hand(body, over: current, to: holder, arguments)
                return nil
            }
            return try save(body, over: current, documentID, collection, path)
        }
        editor.discard()
        if isHanded { return }  // told by that process
        let outcome = saved.map { "Saved \(documentID), revision \($0.revisionID)" }
        let revision = saved.map { JSON.string($0.revisionID.description) }
        terminal.done(
            outcome ?? "Nothing was changed",
            ["id": .string(documentID.text), "revision": revision ?? .null]
        )
        saved.flatMap { StoreRules.warning(of: documentID, byteCount: $0.body.count) }
            .map { terminal.warn($0) }
    }

    private static func current(
        _ documentID: DocumentID,
        _ collection: CollectionPath,
        _ path: DatabasePath
    ) throws -> StoredDocument? {
        let store = try path.open(forWriting: false)
        defer { try? store.close() }
        return try store.read { try $0.document(documentID, in: collection) }
    }

    /// Has the process that holds the database save the text.
    private static func hand(
        _ body: JSON,
        over current: StoredDocument?,
        to holder: HolderClient,
        _ arguments: Arguments
    ) throws {
        var words = ["put", "--over", current.map { "\($0.revisionID)" } ?? "none"]
        if let name = arguments.value("--collection") { words += ["-c", name] }
        words += ["--", arguments.operands[0], arguments.operands[1], "-"]
        let bytes = Array(body.canonicalText.utf8)
        try holder.run(words, typing: bytes, or: "\(arguments.operands[1]) was not saved")
    }

    private static func save(
        _ body: JSON,
        over current: StoredDocument?,
        _ documentID: DocumentID,
        _ collection: CollectionPath,
        _ path: DatabasePath
    ) throws -> StoredDocument {
        let store = try path.open(forWriting: true)
        defer { try? store.close() }
        let installed = try InlineBlobs.install(body, into: store.blobs)
        let outcome = try store.write { writer in
            try writer.save(
                documentID,
                in: collection,
                body: try installed.body.canonicalBytes(),
                hasBlobs: installed.count > 0,
                parent: .revision(current?.revisionID)
            )
        }
        switch outcome {
        case .saved(let document): return document
        case .conflict(let document):
            let revision = document.map { "revision \($0.revisionID)" } ?? "gone"
            throw Failure(
                kind: .invalid,
                sentence: "somebody else saved \"\(documentID)\" meanwhile, it is \(revision) now; "
                    + "look at it with divan get, and put yours with divan put"
            )
        }
    }
}
