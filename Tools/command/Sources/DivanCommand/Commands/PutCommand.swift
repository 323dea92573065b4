import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform
import DivanRevisions

/// `divan put`.
enum PutCommand: Command {
    static let syntax = CommandSyntax(
        name: "put",
        summary: "save a document",
        operands: [
            .database, .document, .init(name: "JSON", isOptional: true),
        ],
        options: [
            .collection,
            .flag("--create", "fail if the document exists"),
            .flag("--update", "fail if the document does not exist"),
            .value(
                "--over",
                "REVISION",
                "fail unless REVISION is current ('none': no such document exists)"
            ),
            .value(
                "--blob",
                "KEY=FILE",
                isRepeating: true,
                completion: .file,
                "store the content of FILE as a blob under KEY"
            ),
        ],
        details: """
            JSON is the body of the document, a JSON object. If it is omitted or -, the body is
            read from standard input.
            """,
        examples: [
            "divan put notes monday '{\"title\":\"Monday\"}'",
            "divan put notes monday --blob photo=beach.jpg < monday.json",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let documentID = arguments.documentID(at: 1)
        if arguments.operands.count == 2, documentID.text.utf8.first == UInt8(ascii: "{") {
            throw Failure.usage(
                "divan put: missing argument ID",
                hint: "write the ID before the JSON"
            )
        }
        // Before the document is typed. While it is typed, other processes can use the database.
        if !arguments.database.exists {
            try arguments.database.open(forWriting: true).close()
        }
        var text: JSONMembers? = try readBody(arguments, terminal)
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let (installed, holds) = try install(&text, arguments, store)
        // Keep the blobs until the document refers to them.
        defer { withExtendedLifetime(holds) {} }
        let saved = try store.write { writer in
            let current = try current(documentID, in: collection, writer)
            let exists = current != nil
            if arguments.has("--create"), exists {
                throw Failure(
                    kind: .conflict,
                    sentence: "document '\(documentID)' already exists",
                    hint: "leave '--create' out to replace it"
                )
            }
            if arguments.has("--update"), !exists {
                throw writer.noDocument(documentID, in: collection)
            }
            try check(arguments.value("--over"), documentID, current)
            if !exists { _ = try DocumentID(checking: documentID.text) }
            return try writer.save(
                documentID,
                in: collection,
                body: installed.body,
                isTombstone: false,
                hasBlobs: installed.count > 0,
                parent: .current
            )
        }
        if case .saved(let document) = saved { printResult(document, terminal) }
    }

    /// Stores the blobs of a body, and releases its text: a long one is not kept while it is saved.
    private static func install(
        _ text: inout JSONMembers?,
        _ arguments: Arguments,
        _ store: Store
    ) throws -> (InlineBlobs.Installed<[UInt8]>, [BlobHold]) {
        var body = text.take() ?? JSONMembers([:])
        var holds: [BlobHold] = []
        for blob in arguments.values("--blob") {
            holds.append(try attach(blob, to: &body, store.blobs))
        }
        try StoreRules.check(body)
        let installed = try InlineBlobs.install(body) {
            holds.append(try store.blobs.writeHeld($0))
            return holds[holds.count - 1].digest.description
        }
        return (installed, holds)
    }

    private static func printResult(_ document: StoredDocument, _ terminal: Terminal) {
        let documentID = document.documentID
        terminal.done(
            "Saved \(documentID), revision \(document.revisionID)",
            [
                "id": .string(documentID.text), "revision": .string("\(document.revisionID)"),
                "sequence": JSON(document.sequence),
            ]
        )
        StoreRules.warning(of: documentID, byteCount: document.body.count)
            .map { terminal.warn($0) }
    }

    /// The current revision of a document; `nil` if it does not exist or is deleted.
    private static func current(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        _ writer: StoreWriter
    ) throws -> RevisionID? {
        // Without its body, which may be long. Reading all of it reports what is damaged.
        guard let change = try writer.change(of: documentID, in: collection) else {
            return try writer.document(documentID, in: collection)?.revisionID
        }
        return change.flags.contains(.tombstone) ? nil : change.revisionID
    }

    /// Refuses to replace a revision other than the one that was meant.
    private static func check(
        _ expected: String?,
        _ documentID: DocumentID,
        _ current: RevisionID?
    ) throws {
        guard let expected else { return }
        let name = current.map { "\($0)" } ?? "none"
        // Lists and watches print the beginning of a revision.
        let isBeginning = expected.utf8.count >= 10 && name.utf8.starts(with: expected.utf8)
        guard name != expected, !isBeginning else { return }
        let change =
            if expected == "none" {
                "document '\(documentID)' already exists (revision \(name))"
            } else if current == nil {
                "document '\(documentID)' does not exist"
            } else {
                "document '\(documentID)' has revision \(name), not \(expected)"
            }
        throw Failure(
            kind: .conflict,
            sentence: change,
            hint: "check it with 'divan get', and save your version with 'divan put'"
        )
    }

    private static func readBody(
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws -> JSONMembers {
        let bytes: [UInt8]
        if arguments.operands.count > 2, arguments.operands[2] != "-" {
            bytes = Array(arguments.operands[2].utf8)
        } else {
            if Streams.current.input.isTerminal {
                terminal.note("Type a JSON object, then press Ctrl-D to save or Ctrl-C to cancel.")
            }
            bytes = try InputFile("-").rest(limit: ExchangeLimits.documentByteCount)
        }
        do {
            let text = bytes.withoutByteOrderMark
            guard let body = try JSONMembers(parsing: text, limits: StorageLimits.bodyText) else {
                throw Failure(
                    kind: .invalid,
                    text: "the body is not a JSON object; write {\"key\": 1}"
                )
            }
            return body
        } catch let error as JSONError where error.isOfBlankText {
            throw Failure(
                kind: .invalid,
                sentence: "the body is empty",
                hint: "give a JSON object as the third argument or on standard input"
            )
        } catch let error as JSONError {
            let file = arguments.operands.dropFirst(2).first ?? ""
            let isFile = file != "-" && FileSystem.isAccessible(file)
            throw Failure(
                kind: .invalid,
                sentence: Failure(kind: .invalid, text: "invalid body: \(error)").sentence,
                hint: isFile
                    ? "to use the content of that file, write '< \(file)'"
                    : Failure(explaining: error).hint
            )
        }
    }

    private static func attach(
        _ text: String,
        to body: inout JSONMembers,
        _ blobs: BlobStore
    ) throws -> BlobHold {
        // By bytes: a combining accent after the sign would make it another character.
        let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 2 else {
            throw Failure.usage("invalid value '\(text)' for '--blob'", hint: "write KEY=FILE")
        }
        try StoreRules.check(blobKey: parts[0])
        let (hold, byteCount) = try InputFile(parts[1]).copy(into: blobs)
        body[parts[0]] = BlobReference.object(
            naming: hold.digest,
            byteCount: byteCount,
            contentType: ContentType.guessing(parts[1])
        )
        return hold
    }
}

/// What the store would refuse; checked before a batch is built so that the line can be named.
enum StoreRules {
    /// Rejects a blob under the key of CouchDB's attachments, because no peer would find it.
    static func check(blobKey key: String) throws(Failure) {
        guard ExactText(key) == ExactText(InlineBlobs.attachmentsKey) else { return }
        throw Failure(
            kind: .invalid,
            sentence: "the key '\(key)' is reserved for CouchDB attachments",
            hint: "choose another key for the blob"
        )
    }

    /// The warning for a body that can be stored, but that no peer accepts; `nil` for nearly all.
    static func warning(of documentID: DocumentID, byteCount: Int) -> String? {
        let limit = StoreLimits.syncedBodyByteCount
        guard byteCount > limit else { return nil }
        return
            "\(documentID.text.escapingControlCharacters()): \(Numbers.bytes(byteCount)), but "
            + "peers accept at most \(Numbers.bytes(limit)); put large content into blobs"
    }

    static func check(_ body: JSONMembers) throws(Failure) {
        do {
            try DocumentRules.check(body)
        } catch {
            throw Failure(error)
        }
    }
}
