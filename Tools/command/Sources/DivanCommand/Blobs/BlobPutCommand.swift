import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan blob put`.
enum BlobPutCommand: Command {
    static let syntax = CommandSyntax(
        name: "blob put",
        summary: "store a file as a blob of a document",
        operands: [
            .database, .document, .init(name: "KEY"), .init(name: "FILE", completion: .file),
        ],
        options: [
            .collection,
            .value("--type", "TYPE", "the content type (default: by the suffix of FILE)"),
        ],
        details: """
            KEY is a key of the document, or a JSON Pointer such as /pages/0/scan; /pages/- appends
            to an array. The rest of the document is unchanged. The document is created if it does
            not exist. If FILE is -, the content is read from standard input.
            """,
        examples: [
            "divan blob put notes trip photo beach.jpg",
            "divan blob put notes trip /pages/0/scan scan.png",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let documentID = arguments.documentID(at: 1)
        let key = arguments.operands[2]
        let place = BlobLocation(key)
        let file = arguments.operands[3]
        try StoreRules.check(JSONMembers([place.steps[0]: .null]))
        try StoreRules.check(blobKey: place.steps[0])
        let input = try InputFile(file)
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let (hold, byteCount) = try input.copy(into: store.blobs)
        defer { withExtendedLifetime(hold) {} }
        let blob = BlobReference.object(
            naming: hold.digest,
            byteCount: byteCount,
            contentType: arguments.value("--type") ?? ContentType.guessing(file)
        )
        try store.write { writer in
            let current = try writer.document(documentID, in: collection)
            if current == nil { _ = try DocumentID(checking: documentID.text) }
            let body = try current.map { try JSON(storedBody: $0.body) } ?? [:]
            guard let changed = place.putting(blob, into: body) else {
                throw Failure(
                    kind: .notFound,
                    sentence: "document '\(documentID)' has no path '\(key)'",
                    hint: "run 'divan get' to see the document"
                )
            }
            _ = try writer.save(
                documentID,
                in: collection,
                body: try changed.canonicalBytes(),
                hasBlobs: true
            )
        }
        terminal.done(
            "Stored \(Numbers.bytes(byteCount)) in \(documentID) under \(key)",
            ["id": .string(documentID.text), "key": .string(key), "bytes": JSON(byteCount)]
        )
    }
}
