import DivanHTTP
import DivanRevisions
import DivanStore

/// What a path refers to.
///
/// `/`, `/DB`, `/DB/_query`, `/DB/COLLECTION`, `/DB/COLLECTION/_all_docs`, `…/_changes`,
/// `/DB/COLLECTION/ID`, `/DB/COLLECTION/ID/_blobs/KEY`. A slash in a name is written `%2F`.
enum RESTRoute: Equatable {
    case server
    case database(String)
    case query(String)
    case collection(String, CollectionPath)
    case list(String, CollectionPath)
    case changes(String, CollectionPath)
    case document(String, CollectionPath, DocumentID)
    case blob(String, CollectionPath, DocumentID, key: String)

    init(_ target: HTTPTarget) throws(RESTError) {
        var parts = target.segments
        if parts.last == "" { parts.removeLast() }
        guard let database = parts.first else {
            self = .server
            return
        }
        guard parts.count > 1 else {
            self = .database(database)
            return
        }
        if parts.count == 2, parts[1] == "_query" {
            self = .query(database)
            return
        }
        guard let collection = CollectionPath(parts[1]) else {
            throw .notFound("\"\(parts[1])\" is not a collection name; use scope.name or _default")
        }
        switch parts.dropFirst(2).map({ $0 }) {
        case []: self = .collection(database, collection)
        case ["_all_docs"]: self = .list(database, collection)
        case ["_changes"]: self = .changes(database, collection)
        case let rest where rest.count == 1:
            self = .document(database, collection, try Self.documentID(rest[0]))
        case let rest where rest.count == 3 && rest[1] == "_blobs" && !rest[2].isEmpty:
            self = .blob(database, collection, try Self.documentID(rest[0]), key: rest[2])
        default:
            throw .notFound("path not found; encode a slash in a document ID as %2F")
        }
    }

    /// The database that the path names; `nil` for the server itself.
    var database: String? {
        switch self {
        case .server: nil
        case .database(let name), .query(let name), .collection(let name, _), .list(let name, _),
            .changes(let name, _), .document(let name, _, _), .blob(let name, _, _, _):
            name
        }
    }

    /// Whether the request runs a query, which may take long.
    var isQuery: Bool {
        if case .query = self { true } else { false }
    }

    private static func documentID(_ text: String) throws(RESTError) -> DocumentID {
        do {
            return try DocumentID(received: text)
        } catch {
            throw RESTError(error)
        }
    }
}
