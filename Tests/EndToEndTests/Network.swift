import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Databases in a temporary folder, listeners on loopback, and replicators between them.
struct Network {
    private let directory = NSTemporaryDirectory() + "divan-end-to-end-\(UUID().uuidString)"

    /// Opens or creates a database.
    func database(_ name: String) throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = directory
        return try Database(name: name, config: config)
    }

    /// Lets others replicate with the default collection of a database.
    func listener(
        _ database: Database,
        _ change: (inout URLEndpointListenerConfiguration) -> Void = { _ in }
    ) throws -> URLEndpointListener {
        var config = URLEndpointListenerConfiguration(collections: [
            try database.defaultCollection()
        ])
        config.networkInterface = "127.0.0.1"
        change(&config)
        let listener = URLEndpointListener(config: config)
        try listener.start()
        return listener
    }

    /// A replicator between the default collection of a database and a listener.
    func replicator(
        _ database: Database,
        _ listener: URLEndpointListener,
        _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        let url = try #require(listener.urls?.first)
        let collection = CollectionConfiguration(collection: try database.defaultCollection())
        var config = ReplicatorConfiguration(
            collections: [collection],
            target: URLEndpoint(url: url)
        )
        config.pinnedServerCertificate = listener.tlsIdentity?.certs.first
        config.maxAttempts = 1
        change(&config)
        return Replicator(config: config)
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }
}

extension Database {
    /// Every document of the default collection, as revision ID and body by document ID.
    func contents(of documentIDs: some Sequence<String>) throws -> [String: String] {
        let collection = try defaultCollection()
        var contents: [String: String] = [:]
        for documentID in documentIDs {
            guard let document = try collection.document(id: documentID) else { continue }
            contents[documentID] = "\(document.revisionID ?? "?") \(document.canonicalText)"
        }
        return contents
    }
}

extension Document {
    /// The properties in a fixed order.
    fileprivate var canonicalText: String {
        let dictionary = toDictionary()
        return dictionary.keys.sorted().map { "\($0)=\(dictionary[$0] ?? "")" }.joined(
            separator: ","
        )
    }
}
