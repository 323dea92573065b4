import CouchbaseLiteSwift
import Foundation

/// Errors that a program can provoke through the public API.
///
/// Only the public API, because `StaticLibraryTests` also compiles this file into a program of its own.
enum ErrorTable {
    /// One line per error: what was done, the domain, the code and the text, without the directory's path.
    static func lines() throws -> [String] {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "divan-errors-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: directory) }
        var configuration = DatabaseConfiguration()
        configuration.directory = directory.path
        let database = try Database(name: "db", config: configuration)
        let collection = try database.defaultCollection()
        var lines: [String] = []
        for (name, provoke) in try cases(database, collection, configuration) {
            do {
                try provoke()
                lines.append("\(name): no error")
            } catch let error as NSError {
                let text = error.localizedDescription.replacing(directory.path, with: "DIRECTORY")
                lines.append("\(name): \(error.domain) \(error.code): \(text)")
            }
        }
        return lines
    }

    private static func cases(
        _ database: Database,
        _ collection: CouchbaseLiteSwift.Collection,
        _ configuration: DatabaseConfiguration
    ) throws -> [(String, () throws -> Void)] {
        var encrypted = configuration
        encrypted.encryptionKey = .key(Data(repeating: 1, count: 32))
        let other = try Database(name: "other", config: configuration)
        let blob = Blob(contentType: "a/b", data: Data([1]))
        try other.saveBlob(blob: blob)
        let match = "SELECT 1 FROM _ WHERE MATCH(x, 'a')"
        return savingCases(collection, blob) + [
            ("JSON", { _ = try MutableDocument(id: "a", json: "{") }),
            ("query", { _ = try database.createQuery("SELECT FROM") }),
            ("match without index", { _ = try database.createQuery(match) }),
            ("collection name", { _ = try database.createCollection(name: "_bad") }),
            ("purge", { try collection.purge(id: "none") }),
            ("key", { _ = try Database(name: "db", config: encrypted) }),
            ("blob", { _ = try database.getBlob(properties: [:]) }),
            (
                "closed",
                {
                    try other.close()
                    _ = try other.createQuery("SELECT 1")
                }
            ),
        ]
    }

    private static func savingCases(
        _ collection: CouchbaseLiteSwift.Collection,
        _ foreign: Blob
    ) -> [(String, () throws -> Void)] {
        let far = Date(timeIntervalSince1970: 1e18)
        let documents: [(String, MutableDocument)] = [
            ("document ID", MutableDocument(id: "_bad")),
            ("reserved key", MutableDocument(id: "a", data: ["_id": 1])),
            ("infinite number", MutableDocument(id: "a", data: ["n": Double.infinity])),
            ("date", MutableDocument(id: "a").setDate(far, forKey: "d")),
            ("foreign blob", MutableDocument(id: "a").setBlob(foreign, forKey: "b")),
        ]
        return documents.map { name, document in
            (name, { try collection.save(document: document) })
        }
    }
}
