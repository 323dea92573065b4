import CouchbaseLiteSwift
import DivanTestKit
import Foundation

/// The database of one execution: a document, one with a blob, and a deleted one.
final class FuzzDatabase {
    let database: Database
    private let directory: TemporaryDirectory

    static let name = "db"
    static let blob = "abc"

    init() throws {
        directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.directory = directory.path
        database = try Database(name: Self.name, config: configuration)
        let collection = try database.defaultCollection()
        try database.inBatch {
            let plain = MutableDocument(id: "a")
            plain.setInt(1, forKey: "n")
            try collection.save(document: plain)
            let picture = MutableDocument(id: "b")
            let blob = Blob(contentType: "text/plain", data: Data(Self.blob.utf8))
            picture.setBlob(blob, forKey: "p")
            try collection.save(document: picture)
            let gone = MutableDocument(id: "gone")
            try collection.save(document: gone)
            try collection.delete(document: gone)
        }
    }

    deinit { try? database.close() }

    /// Another collection, which not every conversation uses.
    func places() throws -> CouchbaseLiteSwift.Collection {
        try database.createCollection(name: "places", scope: "geo")
    }

    /// What is stored must be intact, whatever was sent.
    func violation() throws -> String? {
        try database.performMaintenance(type: .integrityCheck)
        let collection = try database.defaultCollection()
        for id in ["a", "b", "gone", "new"] {
            guard let document = try collection.document(id: id) else { continue }
            let text = Data(document.toJSON().utf8)
            guard (try? JSONSerialization.jsonObject(with: text)) is [String: Any] else {
                return "document \(id) is no object"
            }
        }
        try database.close()
        return nil
    }

    /// What is wrong with an error reported to an application.
    static func violation(of error: (any Error)?) -> String? {
        guard let error else { return nil }
        let known = error as NSError
        let isNumbered = known.domain != CBLError.domain || (1..<20_000).contains(known.code)
        guard isNumbered, !known.localizedDescription.isEmpty else {
            return "an undocumented error: \(known.domain) \(known.code)"
        }
        return nil
    }
}
