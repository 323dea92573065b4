import DivanJSON
import DivanStore

/// `divan get`.
enum GetCommand: Command {
    static let syntax = CommandSyntax(
        name: "get",
        aliases: ["cat"],
        summary: "print a document, or the content of one of its blobs",
        operands: [.database, .document],
        options: [
            .collection,
            .flag("--raw", "the body as it is stored, on one line"),
            .value("--blob", "KEY", "write the content of the blob under this key instead"),
            .json,
        ],
        examples: [
            "divan get travel de -c geo.countries",
            "divan get travel de -c geo.countries --blob flag > de.png",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let documentID = arguments.operands[1]
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let found = try store.read { try $0.document(documentID, in: collection) }
        guard let document = found else {
            throw Failure.noDocument(documentID, in: collection)
        }
        let body = try JSON(parsing: document.body)
        if let key = arguments.value("--blob") {
            guard let text = body[key]?["digest"]?.string, let digest = BlobDigest(text) else {
                throw Failure(
                    kind: .notFound,
                    sentence: "document \"\(documentID)\" has no blob under \"\(key)\"; "
                        + "divan get shows its keys"
                )
            }
            return terminal.result(bytes: try store.blobs.read(digest))
        }
        if arguments.has("--raw") || terminal.isJSON {
            terminal.result(String(decoding: document.body, as: UTF8.self))
        } else {
            terminal.result(body.indentedText())
        }
    }
}

extension Failure {
    /// The document is not in the collection.
    static func noDocument(_ documentID: String, in collection: CollectionPath) -> Failure {
        Failure(
            kind: .notFound,
            sentence: "no document \"\(documentID)\" in collection \(collection.wireName); "
                + "divan ls lists what is there"
        )
    }
}
