import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanLog
import DivanRevisions
import DivanTransport

/// One request and everything it may access.
struct RESTCall: Sendable {
    let request: HTTPRequest
    let endpoint: RESTEndpoint
    let store: Store
    let rights: RESTRights
    let notifier: ChangeNotifier
    let queue: WorkQueue
    let limits: RESTLimits
    /// Whether the client still has the rights that it had when it asked.
    let isCurrent: @Sendable () -> Bool
    /// Whether this runs on the queue for large bodies.
    var mayParseLarge = false

    /// The error for a method that the endpoint does not have.
    var wrongMethod: RESTError { .method(endpoint.methods) }

    /// Refuses to parse a long document unless this runs on the queue for large bodies.
    func checkParsing(_ body: [UInt8]) throws(LargeDocument) {
        guard mayParseLarge || body.count <= FairQueues.largeByteCount else {
            throw LargeDocument(byteCount: body.count)
        }
    }

    /// Refuses to continue a long answer once the client's rights have changed.
    func checkCurrent() throws(RESTError) {
        guard isCurrent() else {
            throw RESTError(403, "forbidden", "your access rights have changed; repeat the request")
        }
    }

    /// Refuses a collection that does not exist for this client.
    func check(_ collection: CollectionPath) throws {
        guard mayUse(collection), try store.hasCollection(collection) else {
            throw RESTError.notFound(
                "collection \(collection) not found; GET /DATABASE lists the collections"
            )
        }
    }

    // MARK: What the client may see

    /// Whether the client may use a collection, if it exists.
    func mayUse(_ collection: CollectionPath) -> Bool {
        rights.collections?.contains(collection) ?? true
    }

    /// Whether the client may see a document.
    func sees(_ document: StoredDocument) -> Bool {
        rights.condition?.holds(of: document) ?? true
    }

    /// A document as visible to the client: a hidden one does not exist.
    func document(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        _ reader: StoreReader
    ) throws -> StoredDocument? {
        try reader.document(documentID, in: collection).flatMap { sees($0) ? $0 : nil }
    }

    /// The same without the body, unless what the client may see depends on it.
    ///
    /// The body of a document that is replaced would be a copy in memory next to the new one.
    func outline(
        of documentID: DocumentID,
        in collection: CollectionPath,
        _ reader: StoreReader
    ) throws -> (stored: StoredDocument?, current: StoredDocument?) {
        guard rights.condition == nil else {
            let stored = try reader.document(documentID, in: collection)
            return (stored, stored.flatMap { sees($0) ? $0 : nil })
        }
        let stored = try reader.outline(of: documentID, in: collection)
        return (stored, stored)
    }

    /// The same for a list, which skips a damaged document, as feeds do.
    func listed(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        _ reader: StoreReader
    ) throws -> StoredDocument? {
        try unlessDamaged { try document(documentID, in: collection, reader) } ?? nil
    }

    /// Reads something of a document for a list; `nil`, with a line in the log, if it is damaged.
    func unlessDamaged<T>(_ body: () throws -> T) throws -> T? {
        do {
            return try body()
        } catch let error as StoreError where error.concernsOneDocument {
            Log(.listener).warning("Skipped a damaged document: \(error)")
            return nil
        }
    }

    /// Refuses a document that would be hidden from the client itself.
    func checkStoring(_ body: [UInt8], as documentID: DocumentID) throws(RESTError) {
        guard rights.condition?.holds(of: documentID, body: body) ?? true else {
            throw RESTError(
                403,
                "forbidden",
                "the document does not match your user's condition"
            )
        }
    }

    /// Figures of a collection; for a client that sees only some documents they would reveal others.
    func figures(of collection: CollectionPath, _ reader: StoreReader) throws -> JSONObject {
        var figures: JSONObject = ["name": .string("\(collection)")]
        guard rights.condition == nil else { return figures }
        figures["count"] = JSON(try reader.count(in: collection))
        figures["sequence"] = JSON(try reader.lastSequence(in: collection))
        return figures
    }

    /// Refuses a client with read-only access.
    func checkWriting() throws(RESTError) {
        guard !rights.isReadOnly, !store.isReadOnly else {
            throw RESTError(403, "read_only", "you have read-only access")
        }
    }

    // MARK: Options

    /// A number in the URL's query.
    func number<Number: FixedWidthInteger>(
        _ name: String,
        in range: ClosedRange<Number>
    ) throws(RESTError) -> Number? {
        guard let text = request.target[name] else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw .bad("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A switch in the URL's query: `true` or `false`.
    func flag(_ name: String) throws(RESTError) -> Bool {
        switch request.target[name] {
        case nil, "false": false
        case "true", "": true
        default: throw .bad("\(name) must be true or false")
        }
    }

    /// The revision that the client intends to change: `If-Match`, or `?rev=`; `nil` if it names none.
    func expectedRevision() throws(RESTError) -> ExpectedRevision? {
        let header = request.headers["If-Match"]
        let option = request.target["rev"]
        guard header == nil || option == nil else {
            throw .bad("use either If-Match or ?rev=, not both")
        }
        guard let header else { return option.map { ExpectedRevision($0) } }
        guard header != "*" else { return .any }
        // A proxy that compresses answers makes their tags weak.
        let tag = header.hasPrefix("W/") ? String(header.dropFirst(2)) : header
        guard tag.utf8.count > 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else {
            throw .bad("If-Match must be one quoted revision, as returned in ETag")
        }
        return .exactly(ExactText(String(tag.dropFirst().dropLast())))
    }

    /// Whether the client already has this revision, so that it need not be sent.
    func hasFresh(_ tag: String) -> Bool {
        request.headers.elements("If-None-Match").contains {
            $0 == tag || $0 == "W/" + tag || $0 == "*"
        }
    }

    /// Refuses to read a document if the client asks for a revision other than the current one.
    func checkReading(_ document: StoredDocument) throws(RESTError) {
        guard let wanted = try expectedRevision(), !wanted.fits(document.revisionID) else { return }
        guard request.headers["If-Match"] == nil else {
            throw RESTError(412, "precondition_failed", "another revision is current; get it again")
        }
        throw .notFound(
            "this revision of \"\(document.documentID)\" is not current, and only the current one "
                + "can be read; remove ?rev="
        )
    }
}

/// A document that must be parsed on the queue for large bodies.
struct LargeDocument: Error {
    let byteCount: Int
}

/// The revision that a client intends to change.
enum ExpectedRevision {
    /// Any revision.
    case any
    /// The revision with this name.
    case exactly(ExactText)

    init(_ text: String) {
        self = text == "*" ? .any : .exactly(ExactText(text))
    }

    func fits(_ revisionID: RevisionID) -> Bool {
        switch self {
        case .any: true
        case .exactly(let name): name == ExactText("\(revisionID)")
        }
    }
}

extension RevisionID {
    /// The revision as an entity tag.
    var tag: String { "\"\(self)\"" }
}
