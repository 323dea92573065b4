import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization

/// A process of clients: each has a database and a continuous replicator, and edits now and then;
/// in the meantime their connections are cut.
final class Clients: @unchecked Sendable {
    // Unchecked: databases and replicators are thread-safe; counts are locked.

    private struct Client {
        let collection: Collection
        let replicator: Replicator
    }

    private struct Tally {
        var editCount = 0
        var failureCount = 0
        var cutCount = 0
        var isCutting = true
        var editorCount = 1
    }

    private let port: UInt16
    private let minuteCount: Int
    private let clients: [Client]
    private let tally = Mutex(Tally())
    private let seed: UInt64

    /// Takes the words `DIRECTORY PORT INDEX COUNT MINUTES SEED`.
    init(_ words: [String]) throws {
        guard words.count == 6, let port = UInt16(words[1]), let index = Int(words[2]),
            let count = Int(words[3]), let minuteCount = Int(words[4]),
            let seed = UInt64(words[5])
        else { throw SoakFailure("clients need a directory and five numbers") }
        LogSinks.console = nil
        self.port = port
        self.minuteCount = minuteCount
        self.seed = seed
        clients = try (0..<count).map { number in
            try Self.makeClient("client-\(index)-\(number)", in: words[0], port)
        }
    }

    private static func makeClient(
        _ name: String,
        in directory: String,
        _ port: UInt16
    ) throws -> Client {
        var options = DatabaseConfiguration()
        options.directory = directory
        let collection = try Database(name: name, config: options).defaultCollection()
        let target = try URLEndpoint(validating: "wss://127.0.0.1:\(port)/soak")
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: collection)],
            target: target
        )
        configuration.continuous = true
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.maxAttemptWaitTime = 1
        return Client(
            collection: collection,
            replicator: Replicator(config: configuration)
        )
    }

    func run() throws {
        for client in clients { client.replicator.start() }
        Thread.detachNewThread { self.edit() }
        Thread.detachNewThread { self.cut() }
        StandardLines.say("ready")
        StandardLines.answer { question in
            switch question {
            case "memory": return "\(OwnProcess.residentByteCount)"
            case "edits": return "\(tally.withLock { $0.editCount })"
            case "failures": return "\(tally.withLock { $0.failureCount })"
            case "cuts": return "\(tally.withLock { $0.cutCount })"
            case "finish":
                while tally.withLock({ $0.editorCount > 0 }) {
                    Thread.sleep(forTimeInterval: 0.05)
                }
                return tally.withLock { tally in
                    tally.isCutting = false
                    return "\(tally.editCount)"
                }
            case "digests":
                return try clients.map { try Documents.digest(of: $0.collection) }
                    .joined(separator: " ")
            case "stop":
                for client in clients { client.replicator.stop() }
                for client in clients { try client.collection.database.close() }
                return "ok"
            default: return "?"
            }
        }
    }

    /// Each client edits three times a minute, spread evenly.
    private func edit() {
        var generator = SeededGenerator(seed: seed)
        let pause = 60 / Soak.haste / 3 / Double(clients.count)
        for round in 0..<minuteCount * 3 {
            for client in clients {
                do {
                    try edit(client.collection, round, &generator)
                } catch {
                    tally.withLock { $0.failureCount += 1 }
                    FileHandle.standardError.write(Data("soak: edit: \(error)\n".utf8))
                }
                Thread.sleep(forTimeInterval: pause)
            }
        }
        tally.withLock { $0.editorCount = 0 }
    }

    private func edit(
        _ collection: Collection,
        _ round: Int,
        _ generator: inout SeededGenerator
    ) throws {
        let id = Documents.random(using: &generator)
        let existing = try collection.document(id: id)
        tally.withLock { $0.editCount += 1 }
        if let existing, Int.random(in: 0..<10, using: &generator) == 0 {
            return try collection.delete(document: existing)
        }
        let document = existing?.toMutable() ?? MutableDocument(id: id)
        document.setInt(round, forKey: "round")
        document.setInt64(Int64.random(in: 0...1 << 40, using: &generator), forKey: "value")
        document.setString(String(repeating: "text ", count: 60), forKey: "text")
        try collection.save(document: document)
    }

    /// Cuts a connection of this process without closing it properly, twice a second.
    private func cut() {
        var generator = SeededGenerator(seed: seed ^ 0xC0FFEE)
        while tally.withLock({ $0.isCutting }) {
            Thread.sleep(forTimeInterval: 0.5)
            let sockets = Sockets.connected(to: port)
            guard let socket = sockets.randomElement(using: &generator) else { continue }
            Sockets.cut(socket)
            tally.withLock { $0.cutCount += 1 }
        }
    }
}
