import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Real documents are stored and read back equal in meaning, here and at a peer.
///
/// The 350 hotels, the tables of Debian's `iso-codes` (installed by `make setup`) and every text
/// of JSONTestSuite that a parser must accept. The meaning is what Foundation's parser reads, so that
/// our own parser does not judge itself.
@Suite(.timeLimit(.minutes(5))) struct RealDocumentsTests {
    /// A source document: its collection, ID and JSON text.
    struct Source {
        let collection: String
        let documentID: String
        let text: String
    }

    @Test func `real documents are equal after a save and a sync`() async throws {
        let network = Network()
        defer { network.remove() }
        let (here, there) = (try network.database("here"), try network.database("there"))
        let sources = try Self.hotels() + Self.codes() + Self.suite()
        #expect(sources.count { $0.collection == "hotels" } == 350)
        #expect(sources.count { $0.collection == "codes" } > 13_000)
        #expect(sources.count { $0.collection == "suite" } >= 95)

        let collections = try Self.store(sources, in: here)
        try Self.compare(sources, with: here)
        let received = try collections.map { try there.createCollection(name: $0.name) }
        try await push(collections, to: received)
        try Self.compare(sources, with: there)
        for (sent, received) in zip(collections, received) {
            #expect(sent.count == received.count && sent.count > 0)
        }
    }

    private static func store(_ sources: [Source], in database: Database) throws -> [Collection] {
        var collections: [String: Collection] = [:]
        try database.inBatch {
            for source in sources {
                let collection =
                    try collections[source.collection]
                    ?? database.createCollection(name: source.collection)
                collections[source.collection] = collection
                let document = try MutableDocument(id: source.documentID, json: source.text)
                try collection.save(document: document)
            }
        }
        return collections.values.sorted { $0.name < $1.name }
    }

    private func push(_ collections: [Collection], to received: [Collection]) async throws {
        var config = URLEndpointListenerConfiguration(collections: received)
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        let listener = URLEndpointListener(config: config)
        try listener.start()
        defer { listener.stop() }
        var replication = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections(collections),
            target: URLEndpoint(url: try #require(listener.urls?.first))
        )
        replication.replicatorType = .push
        try await Replicator(config: replication).run()
    }

    /// Each document reads as its source does.
    private static func compare(_ sources: [Source], with database: Database) throws {
        var differing: [String] = []
        for source in sources {
            let collection = try database.collection(name: source.collection)
            guard let document = try collection?.document(id: source.documentID),
                isSame(meaning(of: document.toJSON()), meaning(of: source.text))
            else {
                differing.append("\(source.collection)/\(source.documentID)")
                continue
            }
        }
        #expect(differing == [], "in \(database.name)")
    }

    private static func meaning(of text: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    /// Compares what Foundation parsed; it reads long decimals with an error in the last digits.
    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (let left as [String: Any], let right as [String: Any]):
            return left.count == right.count
                && left.allSatisfy { isSame($0.value, right[$0.key]) }
        case (let left as [Any], let right as [Any]):
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (let left as String, let right as String): return left == right
        case (let left as NSNumber, let right as NSNumber):
            let (first, second) = (left.doubleValue, right.doubleValue)
            return left == right || abs(first - second) <= abs(first) * 1e-14
        case (is NSNull, is NSNull): return true
        default: return false
        }
    }
}

extension RealDocumentsTests {
    /// The pictures themselves are not here, only their digests: as plain dictionaries they can be sent.
    private static func hotels() throws -> [Source] {
        try ["hotels", "hotels-more"].flatMap { name in
            try Fixture("travel/\(name).jsonl").text().split(separator: "\n").map { line in
                let text = String(line).replacing(#""@type":"blob""#, with: #""type":"picture""#)
                let members = meaning(of: text) as? [String: Any]
                let documentID = try #require(members?["_id"] as? String)
                return Source(
                    collection: "hotels",
                    documentID: documentID,
                    text: text.replacing(#""_id":"#, with: #""name_in_source":"#)
                )
            }
        }
    }

    /// Every entry of every table, named by the table and its index there.
    private static func codes() throws -> [Source] {
        let folder = "/usr/share/iso-codes/json"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var sources: [Source] = []
        for name in names.sorted() where name.hasPrefix("iso_") && name.hasSuffix(".json") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            let root = try JSONSerialization.jsonObject(with: bytes) as? [String: [Any]]
            for (table, entries) in root ?? [:] {
                for (offset, entry) in entries.enumerated() {
                    let text = try JSONSerialization.data(withJSONObject: entry)
                    let source = Source(
                        collection: "codes",
                        documentID: "\(table)-\(offset)",
                        text: String(decoding: text, as: UTF8.self)
                    )
                    sources.append(source)
                }
            }
        }
        try #require(!sources.isEmpty, "\(folder) is empty: run make setup")
        return sources
    }

    /// Each text as a value in a document, and as a document if it is an object that may be one:
    /// a document has no empty key at the top level.
    private static func suite() throws -> [Source] {
        let folder = Fixture("../../Packages/DivanJSON/Tests/Fixtures/JSONTestSuite").path
        var sources: [Source] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where name.hasPrefix("y_") {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            let wrapped = #"{"value":\#(text)}"#
            sources.append(Source(collection: "suite", documentID: name, text: wrapped))
            if let members = meaning(of: text) as? [String: Any], members[""] == nil {
                sources.append(Source(collection: "suite", documentID: "bare-\(name)", text: text))
            }
        }
        return sources
    }
}
