import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import Testing

/// A revision of a peer whose body is kept after a local change.
struct KeptBody {
    private let revisionID: RevisionID

    /// Stores a body with a space, so that it is kept whole and not as a difference, and replaces it.
    init(in database: Database, text: String) throws {
        revisionID = try #require(RevisionID("1-aa"))
        let store = try Store.open(directory: #require(database.path))
        defer { try? store.close() }
        try store.write { writer in
            let received = RemoteRevision(
                documentID: "doc",
                revisionID: revisionID,
                body: Array(#"{ "text":"\#(text)"}"#.utf8),
                remote: RemoteID(rawValue: 1)
            )
            _ = try writer.insert(received, in: .default)
            _ = try writer.save("doc", in: .default, body: Array(#"{"n":2}"#.utf8))
        }
    }

    func read(_ database: Database) throws -> String {
        let store = try Store.open(directory: #require(database.path))
        defer { try? store.close() }
        let found = try store.read { try $0.revision("doc", revisionID, in: .default) }
        return try String(decoding: #require(found).body, as: UTF8.self)
    }
}
