import CouchbaseLiteSwift
import DivanTestKit
import Foundation

/// The listening process: one database, one listener with TLS.
final class Server {
    private let collection: Collection
    private let listener: URLEndpointListener

    init(directory: String) throws {
        // Connections fail here all the time.
        LogSinks.console = nil
        TLSIdentity.storeDirectory = directory + "/identities"
        var options = DatabaseConfiguration()
        options.directory = directory
        let database = try Database(name: "soak", config: options)
        collection = try database.defaultCollection()
        var configuration = URLEndpointListenerConfiguration(collections: [collection])
        configuration.networkInterface = "127.0.0.1"
        configuration.enableDeltaSync = true
        listener = URLEndpointListener(config: configuration)
        try listener.start()
    }

    func run() throws {
        StandardLines.say("\(listener.port ?? 0)")
        StandardLines.answer { question in
            switch question {
            case "memory": "\(OwnProcess.residentByteCount)"
            case "connections": "\(listener.status.connectionCount)"
            case "digest": try Documents.digest(of: collection)
            case "documents": "\(collection.count)"
            case "sockets": "\(Sockets.count)"
            default: "?"
            }
        }
    }
}

/// The documents that everyone edits.
enum Documents {
    static let sharedCount = 100
    static let ownCount = 400

    /// Any document: usually one that few others edit.
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        if Int.random(in: 0..<5, using: &generator) == 0 {
            return "shared-\(Int.random(in: 0..<sharedCount, using: &generator))"
        }
        return "own-\(Int.random(in: 0..<ownCount, using: &generator))"
    }

    /// One text for all documents with their revisions; equal if the databases are.
    static func digest(of collection: Collection) throws -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for (kind, count) in [("shared", sharedCount), ("own", ownCount)] {
            for number in 0..<count {
                let id = "\(kind)-\(number)"
                guard let document = try collection.document(id: id) else { continue }
                for byte in "\(id) \(document.revisionID ?? "") \(document.toJSON())".utf8 {
                    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                }
            }
        }
        return String(hash, radix: 16)
    }
}
