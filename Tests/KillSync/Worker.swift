import CouchbaseLiteSwift
import DivanPlatform
import Foundation

/// A process that is killed: its database, its part of the writing, and its end of the sync.
struct Worker {
    let side: Side
    let directory: String
    let workload: Workload
    /// Counts the lives of both sides.
    let life: Int
    /// Write the documents before this one.
    let through: Int
    /// Whether the conversation can be read in transit.
    var isPlain = false

    private func open() throws -> Database {
        // Each kill causes a warning on the other side.
        LogSinks.console = nil
        TLSIdentity.storeDirectory = directory + "/identities"
        var configuration = DatabaseConfiguration()
        configuration.revisionScheme = AskedScheme.revisionScheme
        configuration.directory = directory
        return try Database(name: side.rawValue, config: configuration)
    }

    /// Creates the database and fills it with `count` small documents, each with one revision.
    func fill(count: Int) throws {
        let database = try open()
        let collection = try database.defaultCollection()
        let filler = String(repeating: "lorem ipsum ", count: 20)
        for start in stride(from: 0, to: count, by: 1_000) {
            try database.inBatch {
                for number in start..<min(start + 1_000, count) {
                    let document = MutableDocument(id: "document-\(number)")
                    document.setInt(number, forKey: "number")
                    document.setString(filler, forKey: "filler")
                    try collection.save(document: document)
                }
            }
        }
        try database.close()
    }

    /// Listens on a port and writes; never ends by itself.
    func serve(port: UInt16) throws {
        let database = try open()
        let collection = try database.defaultCollection()
        var configuration = URLEndpointListenerConfiguration(collections: [collection])
        configuration.networkInterface = "127.0.0.1"
        configuration.port = port
        configuration.disableTLS = isPlain
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        tell("listening")
        try write(to: database, collection)
        tell("written")
        while true { CurrentThread.waitForSignal() }
    }

    /// Syncs continuously, and writes; never ends by itself.
    func sync(with port: UInt16) throws {
        let database = try open()
        let collection = try database.defaultCollection()
        let replicator = try makeReplicator(collection, port, isContinuous: true)
        let queue = DispatchQueue(label: "restart")
        replicator.addChangeListener(withQueue: queue) { change in
            guard change.status.activity == .stopped else { return }
            // A dying server may cause an error that is not retried; an application would retry.
            tell("stopped \((change.status.error as NSError?)?.code ?? 0)")
            queue.asyncAfter(deadline: .now() + 0.05) { replicator.start() }
        }
        replicator.start()
        try write(to: database, collection)
        tell("written")
        while true { CurrentThread.waitForSignal() }
    }

    /// Writes what is left, and syncs until a whole run transfers nothing.
    func finish(with port: UInt16) async throws {
        let database = try open()
        let collection = try database.defaultCollection()
        try write(to: database, collection)
        for run in 1...20 {
            let replicator = try makeReplicator(collection, port, isContinuous: false)
            let moved = Tally()
            replicator.addDocumentReplicationListener(withQueue: moved.queue) { event in
                for document in event.documents { moved.add(document) }
            }
            try await replicator.run()
            let (count, failures) = moved.take()
            tell("run \(run) moved \(count)")
            if let failure = failures.first { throw KillSyncFailure("last sync: \(failure)") }
            if count == 0 {
                try database.close()
                tell("finished")
                return
            }
        }
        throw KillSyncFailure("the last sync does not come to rest")
    }

    private func makeReplicator(
        _ collection: CouchbaseLiteSwift.Collection,
        _ port: UInt16,
        isContinuous: Bool
    ) throws -> Replicator {
        let scheme = isPlain ? "ws" : "wss"
        let target = try URLEndpoint(
            validating: "\(scheme)://127.0.0.1:\(port)/\(Side.server.rawValue)"
        )
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: collection)],
            target: target
        )
        configuration.continuous = isContinuous
        configuration.acceptOnlySelfSignedServerCertificate = !isPlain
        configuration.maxAttempts = 1_000
        configuration.maxAttemptWaitTime = 0.1
        return Replicator(config: configuration)
    }
}

// MARK: - Writing

extension Worker {
    private func write(to database: Database, _ collection: CouchbaseLiteSwift.Collection) throws {
        var next = try firstMissing(in: collection)
        tell("from \(next)")
        guard workload.count > 0 else { return }
        try makeIndexes(collection)
        try editConflicts(collection)
        while next < through {
            let end = min(next + Workload.batchCount, through)
            try database.inBatch {
                for index in next..<end { try write(workload.step(index), to: collection) }
            }
            next = end
            tell("saved \(next)")
        }
    }

    /// The documents were written in order, so this is a binary search.
    private func firstMissing(in collection: CouchbaseLiteSwift.Collection) throws -> Int {
        var (low, high) = (0, workload.count)
        while low < high {
            let middle = low + (high - low) / 2
            if try isWritten(middle, collection) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A document that was written and deleted has a successor that was written with the deletion,
    /// so only the newest ones can be missing: those are never deleted yet.
    private func isWritten(_ index: Int, _ collection: CouchbaseLiteSwift.Collection) throws -> Bool
    {
        if try collection.document(id: workload.documentID(side, index)) != nil { return true }
        guard workload.isDeleted(index) else { return false }
        return try isWritten(2 * index, collection)
    }

    private func write(_ step: Workload.Step, to collection: CouchbaseLiteSwift.Collection) throws {
        try save(step.index, version: 1, MutableDocument(id: id(step.index)), collection)
        guard let older = step.older,
            let document = try collection.document(id: id(older))?.toMutable()
        else { return }
        if workload.isDeleted(older) {
            try collection.delete(document: document)
        } else {
            try save(older, version: document.int(forKey: "version") + 1, document, collection)
        }
    }

    private func id(_ index: Int) -> String { workload.documentID(side, index) }

    private func save(
        _ index: Int,
        version: Int,
        _ document: MutableDocument,
        _ collection: CouchbaseLiteSwift.Collection
    ) throws {
        document.setInt(index, forKey: "index")
        document.setInt(version, forKey: "version")
        document.setString(workload.filler(side, index, version), forKey: "filler")
        document.setString(workload.text(index, version), forKey: "text")
        document.setValue([index % 5, version % 3], forKey: "digits")
        if workload.hasBlob(index) {
            let content = Data(workload.blob(side, index, version))
            document.setBlob(Blob(contentType: "image/png", data: content), forKey: "pic")
        }
        try collection.save(document: document)
    }

    /// Recreates one index of three in each life, so that some processes are killed while they build one.
    private func makeIndexes(_ collection: CouchbaseLiteSwift.Collection) throws {
        let indexes: [(name: String, config: any IndexConfiguration)] = [
            ("byVersion", ValueIndexConfiguration(["version", "index"])),
            ("byDigit", ArrayIndexConfiguration(path: "digits")),
            ("words", FullTextIndexConfiguration(["text"], language: "")),
        ]
        try collection.deleteIndex(forName: indexes[life % indexes.count].name)
        for (name, config) in indexes { try collection.createIndex(withName: name, config: config) }
    }

    /// Both sides change the same documents, each in its own way.
    private func editConflicts(_ collection: CouchbaseLiteSwift.Collection) throws {
        for number in workload.conflicts(ofLife: life) {
            let id = workload.conflictID(number)
            let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
            document.setString(side.rawValue, forKey: "side")
            document.setInt(life, forKey: "life")
            let content = Data(workload.blob(side, life, number))
            document.setBlob(Blob(contentType: "text/plain", data: content), forKey: "pic")
            try collection.save(document: document)
            tell("both \(number)")
        }
    }
}

/// One call, short enough for a pipe to take at once, so that lines of threads do not mix.
private func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Counts what a run transferred.
private final class Tally: @unchecked Sendable {
    // Unchecked: used on `queue` only.
    let queue = DispatchQueue(label: "tally")
    private var count = 0
    private var failures: [String] = []

    func add(_ document: ReplicatedDocument) {
        count += 1
        if let error = document.error { failures.append("\(document.id): \(error)") }
    }

    func take() -> (Int, [String]) { queue.sync { (count, failures) } }
}
