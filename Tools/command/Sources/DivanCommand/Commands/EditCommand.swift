import CouchbaseLiteSwift
import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanRevisions
import Foundation

/// `divan edit`.
enum EditCommand: Command {
    static let syntax = CommandSyntax(
        name: "edit",
        summary: "edit a document in a text editor",
        operands: [.database, .document],
        options: [
            .collection,
            .flag("--create", "create the document if it does not exist"),
        ],
        details: """
            The editor is $VISUAL, $EDITOR or vi. The database is not locked while the editor is
            open. If the text is not a JSON object, or if the document was changed in the meantime,
            nothing is saved. Your text is kept in a file.
            """,
        examples: ["divan edit notes monday", "EDITOR='code --wait' divan edit notes monday"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let name = try arguments.collection()
        let documentID = arguments.documentID(at: 1)
        let path = arguments.database
        let current = try path.using(.reading) { database in
            try database.existing(name).document(id: documentID.text)
        }
        guard current != nil || arguments.has("--create") else {
            throw try path.using(.reading) { try $0.existing(name).noDocument(documentID.text) }
        }
        if current == nil { _ = try DocumentID(checking: documentID.text) }
        let before = try current?.storedJSON.map { try JSON(storedBody: $0) } ?? [:]
        let editor = try Editor(before.indentedText + "\n", named: documentID.text)
        StopSignals.say { cause in
            Failure.stopped(by: cause, leaving: "your text is in \(editor.file)")
                .text(asJSON: terminal.isJSON)
        }
        try editor.run()
        var isHanded = false
        let saved = try editor.keepingText { editor -> Document? in
            let body = JSON.object(try editor.object())
            guard body != before || current == nil else { return nil }
            if let holder = HolderClient.find(path) {
                isHanded = true
                try hand(body, over: current, to: holder, arguments)
                return nil
            }
            return try save(body, over: current, documentID.text, name, path)
        }
        editor.discard()
        if isHanded { return }  // reported by that process
        let revision = saved?.revisionID
        let outcome = revision.map { "Saved \(documentID), revision \($0)" }
        terminal.done(
            outcome ?? "No changes",
            ["id": .string(documentID.text), "revision": revision.map { .string($0) } ?? .null]
        )
        saved?.storedJSON.flatMap { StoreRules.warning(of: documentID, byteCount: $0.count) }
            .map { terminal.warn($0) }
    }

    /// Has the process that holds the database save the text.
    private static func hand(
        _ body: JSON,
        over current: Document?,
        to holder: HolderClient,
        _ arguments: Arguments
    ) throws {
        var words = ["put", "--over", current?.revisionID ?? "none"]
        if let name = arguments.value("--collection") { words += ["-c", name] }
        if arguments.has("--json") { words.append("--json") }
        words += ["--", arguments.operands[0], arguments.operands[1], "-"]
        let bytes = Array(body.canonicalText.utf8)
        try holder.run(words, typing: bytes, or: "\(arguments.operands[1]) was not saved")
    }

    private static func save(
        _ body: JSON,
        over current: Document?,
        _ id: String,
        _ name: CollectionName,
        _ path: DatabasePath
    ) throws -> Document? {
        try path.using(.changing) { database in
            let collection = try database.existing(name)
            let installed = try InlineBlobs.install(body) { content in
                let blob = Blob(contentType: "", data: Data(content))
                try database.saveBlob(blob: blob)
                return blob.digest ?? ""
            }
            try database.inBatch {
                let there = try collection.document(id: id)
                guard there?.revisionID == current?.revisionID else {
                    throw changed(id, there?.revisionID)
                }
                let document = there?.toMutable() ?? MutableDocument(id: id)
                try document.setJSON(installed.body.canonicalText)
                try collection.save(document: document)
            }
            return try collection.document(id: id)
        }
    }

    private static func changed(_ id: String, _ revision: String?) -> Failure {
        Failure(
            kind: .conflict,
            sentence: "document '\(id)' was "
                + (revision.map { "changed in the meantime (revision \($0))" }
                    ?? "deleted in the meantime"),
            hint: "check it with 'divan get', and save your text with 'divan put'"
        )
    }
}
