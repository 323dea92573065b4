import CouchbaseLiteSwift
import Foundation

/// The most common operations on documents.
enum CostlyWork: String, CaseIterable {
    case save, read, pull, push
    case pullVectors = "pull with version vectors"
    case pushVectors = "push with version vectors"
    case crowdedSave = "save over 1,000 sources"

    /// How many documents, and over what.
    struct Shape {
        let documentCount: Int
        let usesTLS: Bool

        /// As in normal use.
        static let whole = Shape(documentCount: CostlyWork.documentCount, usesTLS: true)

        /// Without TLS, whose library generates keys in varying time.
        static func clear(_ documentCount: Int) -> Shape {
            Shape(documentCount: documentCount, usesTLS: false)
        }
    }

    static let documentCount = 5_000

    /// What is counted.
    var remark: String {
        switch self {
        case .save: "public, 1,000 in inBatch"
        case .read: "public, by ID, one field"
        case .pull, .push, .pullVectors, .pushVectors: "TLS, both ends, connection included"
        case .crowdedSave: "in memory, by version vectors"
        }
    }

    var isSync: Bool { [.pull, .push, .pullVectors, .pushVectors].contains(self) }

    private var isPush: Bool { self == .push || self == .pushVectors }

    private var scheme: RevisionScheme {
        self == .pullVectors || self == .pushVectors ? .versionVectors : .revisionTrees
    }

    /// Prepares everything and returns the work itself.
    func prepare(_ shape: Shape = .whole, in directory: String) throws -> () throws -> Void {
        if self == .crowdedSave {
            let writers = try ManyWriters()
            return { try writers.save(shape.documentCount) }
        }
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        configuration.revisionScheme = scheme
        let here = try Database(name: "here", config: configuration)
        let bodies = try DocumentShape.routes.bodies().map { String(decoding: $0, as: UTF8.self) }
        let fresh = try (0..<shape.documentCount).map { index in
            try MutableDocument(
                id: DocumentShape.documentID(index),
                json: bodies[index % bodies.count]
            )
        }
        if self == .save { return { try Self.save(fresh, in: here) } }
        try Self.save(fresh, in: here)
        if self == .read { return { try Self.read(here, shape.documentCount) } }
        let there = try Database(name: "there", config: configuration)
        let (active, passive) = isPush ? (here, there) : (there, here)
        return { try sync(shape, active, with: passive) }
    }

    private static func save(_ documents: [MutableDocument], in database: Database) throws {
        let collection = try database.defaultCollection()
        for start in stride(from: 0, to: documents.count, by: 1_000) {
            try database.inBatch {
                for document in documents[start..<start + 1_000] {
                    try collection.save(document: document)
                }
            }
        }
    }

    private static func read(_ database: Database, _ count: Int) throws {
        let collection = try database.defaultCollection()
        for index in 0..<count {
            let document = try collection.document(id: DocumentShape.documentID(index))
            guard document?.string(forKey: "airline") != nil else {
                throw BenchFailure("a document is missing")
            }
        }
    }

    private func sync(_ shape: Shape, _ active: Database, with passive: Database) throws {
        var config = URLEndpointListenerConfiguration(
            collections: [try passive.defaultCollection()]
        )
        config.networkInterface = "127.0.0.1"
        config.disableTLS = !shape.usesTLS
        let listener = URLEndpointListener(config: config)
        try listener.start()
        defer { listener.stop() }
        guard let url = listener.urls?.first else { throw BenchFailure("the listener has no URL") }
        let order = PeerCommand.Order(database: "", url: url.absoluteString, isPush: isPush)
        let outcome = try SyncOnce(order, active).outcome()
        let count = Int(try passive.defaultCollection().count)
        guard outcome.documentCount == shape.documentCount, count == shape.documentCount else {
            throw BenchFailure("documents are missing")
        }
    }
}
