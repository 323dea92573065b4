import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan blob ls`.
enum BlobListCommand: Command {
    static let syntax = CommandSyntax(
        name: "blob ls",
        summary: "list the blobs of a document or a collection",
        operands: [
            .database, .init(name: "ID", isOptional: true, completion: .document),
        ],
        options: [
            .collection,
            .json,
        ],
        details: """
            Prints size, content type, digest, document and key of each blob. The size is - if the
            blob is not stored locally. 'divan blob fetch' downloads the blobs that a pull with
            --blobs skipped.
            """,
        examples: ["divan blob ls travel de -c geo.countries", "divan blob ls travel"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        var damaged = DamagedDocuments()
        try store.read { reader in
            try terminal.results { line in
                if arguments.operands.count > 1 {
                    let documentID = arguments.documentID(at: 1)
                    guard let document = try reader.document(documentID, in: collection) else {
                        throw reader.noDocument(documentID, in: collection)
                    }
                    return try list(document, store.blobs, terminal, line)
                }
                try reader.forEachDocument(in: collection) {
                    damaged.add($0.text, in: collection.wireName)
                } _: {
                    try list($0, store.blobs, terminal, line)
                }
            }
        }
        damaged.report(terminal)
        try damaged.fail()
    }

    private static func list(
        _ document: StoredDocument,
        _ blobs: BlobStore,
        _ terminal: Terminal,
        _ line: (String) throws -> Void
    ) throws {
        guard document.mayNameBlobs else { return }
        for blob in NamedBlob.all(in: try JSON(storedBody: document.body)) {
            let byteCount = blobs.byteCount(blob.digest)
            if terminal.isJSON {
                let object: JSON = [
                    "id": .string(document.documentID.text), "key": .string(blob.key),
                    "type": .string(blob.contentType),
                    "digest": .string(blob.digest.description),
                    "bytes": byteCount.map { JSON($0) } ?? .null,
                ]
                try line(object.canonicalText)
            } else {
                let size = byteCount.map { Numbers.bytes($0) } ?? "-"
                let gap = String(repeating: " ", count: max(0, 9 - size.count))
                let text =
                    "\(gap)\(size)  \(blob.contentType.padding(to: 16))  \(blob.digest)  "
                    + "\(document.documentID)  \(blob.key)"
                try line(text.escapingControlCharacters())
            }
        }
    }
}

/// A blob and the place in a document that refers to it.
struct NamedBlob: Equatable {
    /// The key at the top level of the document, or a JSON Pointer (`/pages/0/scan`) below it.
    var key: String
    /// The same, always as a JSON Pointer.
    var pointer: String
    /// The blob's digest.
    var digest: BlobDigest
    /// The content type that the document gives; empty if it gives none.
    var contentType: String

    /// Every blob that a document's body refers to.
    static func all(in body: JSON) -> [NamedBlob] {
        BlobReferences.all(in: body).map { reference in
            let pointer = JSONPointer(reference.pointer)
            let blob = pointer.flatMap { body[$0] }
            let isAtTop = pointer?.steps.count == 1
            return NamedBlob(
                key: isAtTop ? pointer?.steps.first ?? "" : reference.pointer,
                pointer: reference.pointer,
                digest: reference.digest,
                contentType: blob?["content_type"]?.string ?? ""
            )
        }
    }
}
