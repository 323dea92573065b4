import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation

/// One of several databases that sync with each other: a process that listens, and executes
/// commands given as lines, until it is killed.
///
/// `edit SEED COUNT` changes documents and prints `saved ID REVISION` or `deleted ID REVISION` after each;
/// a conflict's resolver prints `gave ID REVISION` for the side that lost, or `gave ID -` for a deletion;
/// `sync POLICY PORT NAME` replicates once with another, both ways; `follow POLICY PORT NAME` continues to, and
/// `rest` ends that. Each ends with a line that begins with `done` or `failed`.
final class Peer {
    /// Documents that every peer edits.
    static let sharedCount = 20
    /// Documents that only one peer edits.
    static let ownCount = 5

    private let name: String
    private let port: UInt16
    private let database: Database
    private let collection: CouchbaseLiteSwift.Collection
    private var following: [Replicator] = []

    init(_ name: String, in directory: String, port: UInt16) throws {
        LogSinks.console = nil
        self.name = name
        self.port = port
        var configuration = DatabaseConfiguration()
        configuration.revisionScheme = AskedScheme.revisionScheme
        configuration.directory = directory
        database = try Database(name: name, config: configuration)
        collection = try database.defaultCollection()
    }

    /// Listens and executes commands; returns at the end of the input.
    func run() async throws {
        var configuration = URLEndpointListenerConfiguration(collections: [collection])
        configuration.networkInterface = "127.0.0.1"
        configuration.port = port
        configuration.disableTLS = true
        let listener = URLEndpointListener(config: configuration)
        try start(listener)
        defer { listener.stop() }
        StandardLines.say("done listening")
        while let line = readLine() {
            do {
                StandardLines.say(
                    "done \(try await obey(line.split(separator: " ").map(String.init)))"
                )
            } catch {
                StandardLines.say("failed \("\(error)".replacing("\n", with: " "))")
            }
        }
    }

    /// Another process's connection may have the port for a moment, if the system assigned it.
    private func start(_ listener: URLEndpointListener) throws {
        for _ in 0..<100 {
            if (try? listener.start()) != nil { return }
            CurrentThread.sleep(milliseconds: 100)
        }
        try listener.start()
    }

    private func obey(_ words: [String]) async throws -> String {
        switch (words.first, words.count) {
        case ("edit", 3):
            var generator = SeededGenerator(seed: UInt64(words[1]) ?? 0)
            for number in 0..<(Int(words[2]) ?? 0) {
                try edit("\(name)-\(words[1])-\(number)", using: &generator)
            }
            return "edited"
        case ("sync", 4):
            let moved = MovedDocuments()
            let replicator = try replicator(words, isContinuous: false)
            replicator.addDocumentReplicationListener(withQueue: moved.queue) { event in
                for document in event.documents { moved.add(document) }
            }
            try await replicator.run()
            return "moved \(moved.take())"
        case ("follow", 4):
            let replicator = try replicator(words, isContinuous: true)
            replicator.start()
            following.append(replicator)
            return "follows"
        case ("rest", 1):
            for replicator in following { replicator.stop() }
            following = []
            return "rests"
        default: throw KillSyncFailure("no such command: \(words)")
        }
    }

    // MARK: Sync

    private func replicator(_ words: [String], isContinuous: Bool) throws -> Replicator {
        guard let policy = Policy(rawValue: words[1]) else {
            throw KillSyncFailure("no policy \(words[1])")
        }
        var entry = CollectionConfiguration(collection: collection)
        entry.conflictResolver = ReportingResolver(rule: policy.resolver)
        var configuration = ReplicatorConfiguration(
            collections: [entry],
            target: try URLEndpoint(validating: "ws://127.0.0.1:\(words[2])/\(words[3])")
        )
        configuration.continuous = isContinuous
        configuration.maxAttempts = isContinuous ? 1_000 : 1
        configuration.maxAttemptWaitTime = 0.1
        return Replicator(config: configuration)
    }

    // MARK: Edits

    /// Changes a document, deletes it, or recreates it; what is reported as saved is on the disk.
    private func edit(_ token: String, using generator: inout SeededGenerator) throws {
        let id =
            Int.random(in: 0..<4, using: &generator) == 0
            ? "own-\(name)-\(Int.random(in: 0..<Self.ownCount, using: &generator))"
            : "doc-\(Int.random(in: 0..<Self.sharedCount, using: &generator))"
        let choice = Int.random(in: 0..<100, using: &generator)
        let byteCount = Int.random(in: 0...20_000, using: &generator)
        let field = "f\(Int.random(in: 0..<4, using: &generator))"
        let known = try collection.document(id: id)
        if choice < 10, let known {
            try collection.delete(document: known)
            StandardLines.say("deleted \(id) \(known.revisionID ?? "")")
            return
        }
        let document = known?.toMutable() ?? MutableDocument(id: id)
        document.setString(token, forKey: "token")
        document.setString(token, forKey: field)
        if choice < 30 {
            let content = Data((token + String(repeating: "x", count: byteCount)).utf8)
            document.setBlob(Blob(contentType: "text/plain", data: content), forKey: "pic")
        } else if choice < 45 {
            document.setString(String(repeating: "y", count: byteCount / 10), forKey: "text")
        }
        try collection.save(document: document)
        StandardLines.say("saved \(id) \(document.revisionID ?? "")")
    }
}

/// How a peer resolves conflicts, for a while.
enum Policy: String, CaseIterable {
    case standard
    case local
    case remote
    case merge

    var resolver: any ConflictResolverProtocol {
        switch self {
        case .standard: ConflictResolver.default
        case .local: ConflictResolver.localWins
        case .remote: ConflictResolver.remoteWins
        case .merge: ConflictResolver.fieldMerge
        }
    }
}

/// Reports which side of a conflict loses, before it does.
///
/// A version vector has one version of each writer. If decisions of several peers form a circle,
/// a writer's earlier version may win in the end, and nothing refers to the later one any more.
private struct ReportingResolver: ConflictResolverProtocol {
    let rule: any ConflictResolverProtocol

    func resolve(conflict: Conflict) -> Document? {
        let kept = rule.resolve(conflict: conflict)
        let sides = [conflict.localDocument, conflict.remoteDocument]
        // A merge has seen both.
        guard kept == nil || sides.contains(where: { $0 === kept }) else { return kept }
        for side in sides where side == nil || side !== kept {
            StandardLines.say("gave \(conflict.documentID) \(side?.revisionID ?? "-")")
        }
        return kept
    }
}

/// Counts what a run transferred.
private final class MovedDocuments: @unchecked Sendable {
    // Unchecked: used on `queue` only.
    let queue = DispatchQueue(label: "moved")
    private var count = 0

    func add(_ document: ReplicatedDocument) { count += 1 }

    func take() -> Int { queue.sync { count } }
}
