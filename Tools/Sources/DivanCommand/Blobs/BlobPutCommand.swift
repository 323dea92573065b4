import DivanJSON
import DivanStore
import Foundation

/// `divan blob put`.
enum BlobPutCommand: Command {
    static let syntax = CommandSyntax(
        name: "blob put",
        summary: "put the content of a file into a blob of a document",
        operands: [
            .database, .document, .init(name: "KEY"), .init(name: "FILE", completion: .file),
        ],
        options: [
            .collection,
            .value("--type", "TYPE", "the content type (default: by the file's suffix)"),
        ],
        details: "The rest of the document stays as it is; a document that is not there is made. "
            + "With - the content comes from standard input.",
        examples: ["divan blob put notes trip photo beach.jpg"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let (documentID, key) = (arguments.operands[1], arguments.operands[2])
        let file = arguments.operands[3]
        try StoreRules.check(documentID: documentID)
        try StoreRules.check(topLevelKeys: [key])
        let input = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let input else {
            throw Failure(kind: .notFound, sentence: "\(file): cannot be read; check the path")
        }
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let writer = try store.blobs.writer()
        while let piece = try input.read(upToCount: StoreLimits.blobPieceByteCount), !piece.isEmpty
        {
            try writer.append([UInt8](piece).span)
        }
        let byteCount = writer.byteCount
        let digest = try writer.finish()
        let blob: JSON = [
            "@type": "blob",
            "content_type": .string(arguments.value("--type") ?? ContentType.guessing(file)),
            "digest": .string(digest.description), "length": JSON(byteCount),
        ]
        try store.write { writer in
            let current = try writer.document(documentID, in: collection)
            var body = try current.flatMap { try JSON(parsing: $0.body).object } ?? JSONObject()
            body[key] = blob
            _ = try writer.save(
                documentID,
                in: collection,
                body: try JSON.object(body).canonicalBytes(),
                hasBlobs: true
            )
        }
        terminal.note("Put \(Numbers.bytes(byteCount)) into \(documentID) under \(key)")
    }
}
