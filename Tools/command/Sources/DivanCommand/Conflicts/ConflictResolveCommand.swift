import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan conflicts resolve`.
enum ConflictResolveCommand: Command {
    static let syntax = CommandSyntax(
        name: "conflicts resolve",
        summary: "resolve a conflict",
        operands: [
            .database,
            .init(name: "ID", isOptional: true, isRepeating: true, completion: .document),
        ],
        options: [
            .collection,
            .flag("--local", "keep the local revision"),
            .flag("--remote", "keep the revision of the peer"),
            .flag("--merge", "merge the fields of both sides"),
            .flag("--edit", "edit the merged document and both sides in an editor"),
            .value(
                "--body",
                "FILE",
                completion: .file,
                "use the JSON object in FILE (-: standard input)"
            ),
            .flag("--delete", "delete the document"),
            .flag("--all", "resolve all conflicts of the collection"),
            .value("--sides", "OURS,THEIRS", "only if these two revisions are in conflict"),
            .flag("--dry-run", "print the result, and change nothing"),
        ],
        details: """
            --merge takes each field from the side that changed it. If both sides changed a field,
            the side with the longer history wins. The values of the other side are listed.

            --edit opens the merged document, with both sides under "_ours" and "_theirs". Remove
            these two keys before you save. The editor is $VISUAL, $EDITOR or vi.

            The result is a child of the peer's revision, so the next push does not cause a new
            conflict.
            """,
        examples: [
            "divan conflicts resolve notes monday --merge",
            "divan conflicts resolve notes --all --remote",
        ]
    )

    private enum Method: String, CaseIterable {
        case local = "--local"
        case remote = "--remote"
        case merge = "--merge"
        case edit = "--edit"
        case body = "--body"
        case delete = "--delete"
    }

    /// An edit is done by this process; its result is handed over.
    static func isDoneByHolder(_ arguments: Arguments) -> Bool {
        !arguments.has("--edit") && !arguments.has("--dry-run")
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let ways = Method.allCases.filter { arguments.has($0.rawValue) }
        guard ways.count == 1, let way = ways.first else {
            throw Failure.usage(
                "divan conflicts resolve: give exactly one resolution",
                hint: "use '--local', '--remote', '--merge', '--edit', '--body' or '--delete'"
            )
        }
        let isForOne = way == .body || arguments.has("--sides")
        guard !isForOne || arguments.operands.count == 2 else {
            throw Failure.usage("'--body' and '--sides' require exactly one document ID")
        }
        let path = try arguments.collectionPath()
        let documentIDs = try documentIDs(arguments, path)
        if documentIDs.isEmpty { terminal.note("No conflicts in \(path.wireName)") }
        for documentID in documentIDs {
            try resolve(documentID, path, way, arguments, terminal)
        }
    }

    private static func documentIDs(
        _ arguments: Arguments,
        _ path: CollectionPath
    ) throws -> [DocumentID] {
        let given = arguments.operands.dropFirst().map { DocumentID(unchecked: $0) }
        guard arguments.has("--all") != !given.isEmpty else {
            throw Failure.usage("divan conflicts resolve: give either document IDs or '--all'")
        }
        guard given.isEmpty else { return given }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        return try store.read { try $0.conflicts(in: path) }
    }

    private static func resolve(
        _ documentID: DocumentID,
        _ path: CollectionPath,
        _ way: Method,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        let conflict = try read(documentID, path, arguments)
        // The database is not locked while a person edits.
        let (decision, editor) = try decide(conflict, way, arguments)
        let lost = way == .merge ? try LostValues(of: conflict, after: decision) : nil
        guard !arguments.has("--dry-run") else {
            editor?.discard()
            terminal.result(try outcome(of: decision, conflict))
            for line in lost?.lines ?? [] { terminal.note(line) }
            return
        }
        let database = arguments.database
        let revision: String?
        if let editor {
            revision = try editor.keepingText { editor in
                if let holder = HolderClient.find(database) {
                    try hand(editor, conflict, to: holder, arguments, terminal)
                    return nil
                }
                return try store(decision, conflict, path, database)
            }
        } else {
            revision = try store(decision, conflict, path, database)
        }
        editor?.discard()
        guard let revision else { return }  // reported by that process
        var members: JSONObject = [
            "id": .string(documentID.text), "revision": .string("\(revision)"),
        ]
        if let lost { members["lost"] = lost.json }
        terminal.done("Resolved \(documentID), revision \(revision)", members)
        for line in lost?.lines ?? [] { terminal.note(line) }
    }

    /// Has the process that holds the database store the edited text.
    private static func hand(
        _ editor: Editor,
        _ conflict: StoredConflict,
        to holder: HolderClient,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        var words = ["conflicts", "resolve", "--body", "-", "--sides", sides(of: conflict)]
        if terminal.isJSON { words.append("--json") }
        if let name = arguments.value("--collection") { words += ["-c", name] }
        let id = conflict.documentID
        words += ["--", arguments.operands[0], id.text]
        let problem = "the conflict in \(id) was not resolved"
        try holder.run(words, typing: try editor.text(), or: problem)
    }

    /// As `--sides` names them.
    private static func sides(of conflict: StoredConflict) -> String {
        "\(conflict.local.revisionID),\(conflict.remote.revisionID)"
    }

    private static func read(
        _ documentID: DocumentID,
        _ path: CollectionPath,
        _ arguments: Arguments
    ) throws -> StoredConflict {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        return try store.read { reader in
            guard let expected = arguments.value("--sides") else {
                return try OpenConflict.read(documentID, in: path, reader)
            }
            guard let conflict = try reader.conflict(of: documentID, in: path),
                sides(of: conflict) == expected
            else { throw changed(documentID) }
            return conflict
        }
    }

    private static func changed(_ documentID: DocumentID) -> Failure {
        Failure(
            kind: .conflict,
            sentence: "the conflict in document '\(documentID)' was changed in the meantime",
            hint: "check it again with 'divan conflicts show'"
        )
    }

    private static func decide(
        _ conflict: StoredConflict,
        _ way: Method,
        _ arguments: Arguments
    ) throws -> (ConflictDecision, Editor?) {
        switch way {
        case .local: return (.keepLocal, nil)
        case .remote: return (.keepRemote, nil)
        case .delete: return (.delete, nil)
        case .merge: return (try ConflictDecision(merging: conflict), nil)
        case .body:
            let file = try InputFile(arguments.value("--body") ?? "-")
            let bytes = try file.rest(limit: ExchangeLimits.documentByteCount)
            return (try ConflictText.decision(try Editor.object(in: bytes)), nil)
        case .edit:
            let editor = try Editor(
                try ConflictText.draft(conflict).indentedText + "\n",
                named: conflict.documentID.text
            )
            try editor.run()
            return (try editor.keepingText { try ConflictText.decision(try $0.object()) }, editor)
        }
    }

    private static func outcome(
        of decision: ConflictDecision,
        _ conflict: StoredConflict
    ) throws -> String {
        switch decision {
        case .keepLocal: return ConflictText.body(of: conflict.local)
        case .keepRemote: return ConflictText.body(of: conflict.remote)
        case .merge(let body, _): return String(decoding: body, as: UTF8.self)
        case .delete: return "deleted"
        }
    }

    private static func store(
        _ decision: ConflictDecision,
        _ conflict: StoredConflict,
        _ path: CollectionPath,
        _ database: DatabasePath
    ) throws -> String {
        let store = try database.open(forWriting: true)
        defer { try? store.close() }
        let settled = try store.write { writer in
            try writer.resolveConflict(
                conflict.documentID,
                in: path,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: decision
            )
        }
        guard let settled else {
            throw changed(conflict.documentID)
        }
        return "\(settled.revisionID)"
    }
}
