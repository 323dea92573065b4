import DivanCommandLine
import DivanJSON
import DivanRevisions
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
        let documentID = arguments.documentID(at: 1)
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let document = try store.read { try $0.living(documentID, in: collection) }
        let body = try JSON(parsing: document.body)
        if let key = arguments.value("--blob") {
            let blob = try BlobGetCommand.choose(key, from: body, of: documentID)
            return try BlobGetCommand.copy(try store.blobs.reader(blob.digest), to: terminal)
        }
        if arguments.has("--raw") || terminal.isJSON {
            terminal.result(String(decoding: document.body, as: UTF8.self))
        } else {
            terminal.result(body.indentedText())
        }
    }
}

extension StoreReader {
    /// The document, unless its time is over: then it only waits for somebody to purge it.
    ///
    /// - Throws: `Failure` when there is none.
    func living(_ documentID: DocumentID, in collection: CollectionPath) throws -> StoredDocument {
        guard let document = try document(documentID, in: collection),
            try expiration(of: documentID, in: collection).map({ $0 > Moment.now() }) ?? true
        else { throw noDocument(documentID, in: collection) }
        return document
    }

    /// The failure of a verb that finds no such document; names a collection that has one of this ID.
    func noDocument(_ documentID: DocumentID, in collection: CollectionPath) -> Failure {
        let place = (try? collections())?.first { path in
            path != collection && (try? document(documentID, in: path)) != nil
        }
        guard let place else { return Failure.noDocument(documentID, in: collection) }
        let name = place.wireName
        return Failure(
            kind: .notFound,
            sentence:
                "no document \"\(documentID)\" in collection \(collection.wireName); there is "
                + "one in \(name): -c \(name)"
        )
    }
}

extension Failure {
    /// The document is not in the collection.
    static func noDocument(_ documentID: DocumentID, in collection: CollectionPath) -> Failure {
        let place = collection == .default ? "" : " -c \(collection.wireName)"
        return Failure(
            kind: .notFound,
            sentence: "no document \"\(documentID)\" in collection \(collection.wireName); "
                + "divan ls\(place) lists what is there"
        )
    }
}
