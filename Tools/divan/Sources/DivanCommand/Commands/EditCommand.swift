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
        let saved = try editor.keepingText { editor -> StoredDocument? in
            let body = JSON.object(try editor.object())
            guard body != before || current == nil else { return nil }
            return try save(body, over: current, documentID, collection, path)
        }
        editor.discard()
        let outcome = saved.map { "Saved \(documentID), revision \($0.revisionID)" }
        terminal.note(outcome ?? "Nothing was changed")
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
