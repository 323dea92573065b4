import DivanJSON
import DivanRevisions
import DivanStore
import Foundation

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
            .flag("--create", "only if there is no such document"),
            .flag("--update", "only if there is one"),
            .value(
                "--blob",
                "KEY=FILE",
                isRepeating: true,
                completion: .file,
                "put a file's content into a blob under KEY"
            ),
        ],
        details: "The body is a JSON object: the third argument, or standard input when it is "
            + "missing or -.",
        examples: [
            "divan put notes monday '{\"title\":\"Monday\"}'",
            "divan put notes monday --blob photo=beach.jpg < monday.json",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentID = arguments.operands[1]
        var body = try readBody(arguments)
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        for text in arguments.list("--blob") { try attach(text, to: &body, store.blobs) }
        let installed = try InlineBlobs.install(.object(body), into: store.blobs)
        let saved = try store.write { writer in
            let exists = try writer.document(documentID, in: collection) != nil
            if arguments.has("--create"), exists {
                throw Failure(
                    kind: .invalid,
                    sentence: "document \"\(documentID)\" exists; leave --create out to replace it"
                )
            }
            if arguments.has("--update"), !exists {
                throw Failure.noDocument(documentID, in: collection)
            }
            return try writer.save(
                documentID,
                in: collection,
                body: try installed.body.canonicalBytes(),
                isTombstone: false,
                hasBlobs: installed.count > 0,
                parent: .current
            )
        }
        if case .saved(let document) = saved {
            terminal.note("Saved \(documentID), revision \(document.revisionID)")
        }
    }

    private static func readBody(_ arguments: Arguments) throws -> JSONObject {
        let bytes: [UInt8]
        if arguments.operands.count > 2, arguments.operands[2] != "-" {
            bytes = Array(arguments.operands[2].utf8)
        } else {
            bytes = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
        }
        do {
            guard let body = try JSON(parsing: bytes).object else {
                throw Failure(kind: .invalid, sentence: "the body is no JSON object: {…}")
            }
            return body
        } catch let error as JSONError {
            throw Failure(kind: .invalid, sentence: "the body: \(error)")
        }
    }

    private static func attach(
        _ text: String,
        to body: inout JSONObject,
        _ blobs: BlobStore
    ) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Failure.usage("--blob takes KEY=FILE") }
        guard let content = FileManager.default.contents(atPath: parts[1]) else {
            throw Failure(kind: .notFound, sentence: "\(parts[1]): cannot be read")
        }
        body[parts[0]] = [
            "@type": "blob", "content_type": .string(ContentType.guessing(parts[1])),
            "digest": .string(try blobs.write([UInt8](content)).description),
            "length": JSON(content.count),
        ]
    }
}
