import DivanDatabase
import DivanHTTP
import DivanRevisions

/// What a request's path refers to, and the entry of the table of endpoints that describes it.
///
/// A slash in a name is written `%2F`.
struct RESTRoute {
    /// What a path refers to, with its names.
    enum Resource: Equatable {
        case server
        case openAPI
        case database
        case query
        case namedQuery(String)
        case collection(CollectionPath)
        case list(CollectionPath)
        case changes(CollectionPath)
        case bulk(CollectionPath)
        case document(CollectionPath, DocumentID)
        case blob(CollectionPath, DocumentID, key: String)
    }

    let endpoint: RESTEndpoint
    /// The database in the path; `nil` for the server itself.
    let database: String?
    let resource: Resource

    init(_ target: HTTPTarget) throws(RESTError) {
        guard let (endpoint, names) = RESTEndpoint.fitting(target) else {
            throw Self.unknown(RESTEndpoint.parts(of: target))
        }
        self.endpoint = endpoint
        database = names.first
        resource = try Self.resource(endpoint.kind, Array(names.dropFirst()))
    }

    private static func resource(
        _ kind: RESTEndpoint.Kind,
        _ names: [String]
    ) throws(RESTError) -> Resource {
        switch kind {
        case .server: .server
        case .openAPI: .openAPI
        case .database: .database
        case .query: .query
        case .namedQuery: .namedQuery(names[0])
        case .collection: .collection(try collection(names))
        case .list: .list(try collection(names))
        case .changes: .changes(try collection(names))
        case .bulk: .bulk(try collection(names))
        case .document: .document(try collection(names), try documentID(names[1]))
        case .blob: .blob(try collection(names), try documentID(names[1]), key: names[2])
        }
    }

    private static func collection(_ names: [String]) throws(RESTError) -> CollectionPath {
        guard let collection = CollectionPath(names[0]) else {
            throw .notFound("\"\(names[0])\" is not a collection name; use scope.name or _default")
        }
        return collection
    }

    private static func documentID(_ text: String) throws(RESTError) -> DocumentID {
        do {
            return try DocumentID(received: text)
        } catch {
            throw RESTError(error)
        }
    }

    /// The error for a path that is no endpoint, such as one of CouchDB's.
    private static func unknown(_ parts: [String]) -> RESTError {
        let advice =
            if parts.count == 2, ["_all_docs", "_changes", "_bulk_docs"].contains(parts[1]) {
                "add the collection: /\(HTTPTarget.segment(parts[0]))/_default/\(parts[1])"
            } else {
                "/_openapi.json lists the endpoints; encode a slash in a document ID as %2F"
            }
        return .notFound("no such endpoint; \(advice)")
    }
}
