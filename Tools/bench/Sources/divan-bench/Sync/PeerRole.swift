import CouchbaseLiteSwift
import Dispatch
import DivanDatabase
import DivanJSON
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation

/// One of the two processes that sync: executes each line and answers with a line of JSON.
final class PeerRole {
    private let directory: String
    private var databases: [String: Database] = [:]
    private var listeners: [URLEndpointListener] = []
    private var replicators: [Replicator] = []
    private var watch: CommitLatencyProbe?

    init(_ words: [String]) throws {
        guard let directory = words.first else {
            throw BenchFailure("role peer requires DIRECTORY")
        }
        self.directory = directory
    }

    func run() throws {
        let encoder = JSONEncoder()
        while let line = readLine() {
            let command = try JSONDecoder().decode(PeerCommand.self, from: Data(line.utf8))
            let answer = try perform(command)
            say(String(decoding: try encoder.encode(answer), as: UTF8.self))
        }
    }

    private func perform(_ command: PeerCommand) throws -> any Encodable {
        switch command {
        case .fill(let name, let shape, let count, let scheme):
            try fill(name, shape, count, scheme == .trees ? .trees : .vectors)
        case .index(let name, let properties):
            try IndexedPullFigures.make(properties, in: try database(name))
        case .drop(let name):
            for listener in listeners { listener.stop() }
            listeners = []
            try database(name).delete()
            databases[name] = nil
        case .attach(let name, let byteCount):
            try attach(name, byteCount)
        case .touch(let name, let count):
            try touch(name, count)
        case .listen(let name, let wire):
            return try listen(name, wire)
        case .sync(let order):
            return try SyncOnce(order, try database(order.database)).outcome()
        case .follow(let order):
            try follow(order)
        case .copy(let source, let target):
            return try copy(source, target)
        case .watch(let name):
            watch = CommitLatencyProbe(try database(name).defaultCollection())
        case .save(let name, let count):
            try CommitLatencyProbe.save(count, in: try database(name).defaultCollection())
        case .stamps(let count):
            return try watch?.delays(count) ?? []
        case .usage(let forgetsPeak):
            if forgetsPeak { try PeerUsage.forgetPeak() }
            return PeerUsage.now()
        }
        return true
    }

    private func database(_ name: String) throws -> Database {
        if let open = databases[name] { return open }
        var config = DatabaseConfiguration()
        config.directory = directory
        let opened = try Database(name: name, config: config)
        databases[name] = opened
        return opened
    }

    // MARK: Contents

    private func fill(
        _ name: String,
        _ shape: DocumentShape,
        _ count: Int,
        _ scheme: DivanRevisions.RevisionScheme
    ) throws {
        let bodies = try shape.bodies()
        let store = try Store.open(
            directory: "\(directory)/\(name).cblite2",
            options: StoreOptions(scheme: scheme)
        )
        for start in stride(from: 0, to: count, by: 1_000) {
            try store.write { writer in
                for index in start..<min(start + 1_000, count) {
                    _ = try writer.save(
                        DivanRevisions.DocumentID(unchecked: DocumentShape.documentID(index)),
                        in: .default,
                        body: bodies[index % bodies.count]
                    )
                }
            }
        }
        try store.close()
    }

    private func attach(_ name: String, _ byteCount: Int) throws {
        var generator = SystemRandomNumberGenerator()
        var content = Data(capacity: byteCount)
        while content.count < byteCount {
            withUnsafeBytes(of: generator.next()) { content.append(contentsOf: $0) }
        }
        let document = MutableDocument(id: "picture")
        document.setBlob(
            Blob(contentType: "image/jpeg", data: content.prefix(byteCount)),
            forKey: "picture"
        )
        try database(name).defaultCollection().save(document: document)
    }

    private func touch(_ name: String, _ count: Int) throws {
        let database = try database(name)
        let collection = try database.defaultCollection()
        try database.inBatch {
            for index in 0..<count {
                let id = DocumentShape.documentID(index)
                guard let document = try collection.document(id: id)?.toMutable() else {
                    throw BenchFailure("document \(id) is missing")
                }
                document.setInt(document.int(forKey: "visits") + 1, forKey: "visits")
                try collection.save(document: document)
            }
        }
    }

    // MARK: Peers

    private func listen(_ name: String, _ wire: PeerCommand.Wire) throws -> String {
        let collection = try database(name).defaultCollection()
        var config = URLEndpointListenerConfiguration(collections: [collection])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = !wire.isSecure
        config.enableDeltaSync = wire.usesDeltas
        config.compression = wire.compression.choice
        let listener = URLEndpointListener(config: config)
        try listener.start()
        listeners.append(listener)
        guard let url = listener.urls?.first else { throw BenchFailure("the listener has no URL") }
        return url.absoluteString
    }

    private func follow(_ order: PeerCommand.Order) throws {
        var config = try SyncOnce.configuration(order, try database(order.database))
        config.continuous = true
        let replicator = Replicator(config: config)
        let isIdle = DispatchSemaphore(value: 0)
        replicator.addChangeListener(withQueue: DispatchQueue(label: "follow")) { change in
            if change.status.activity == .idle { isIdle.signal() }
        }
        replicator.start()
        replicators.append(replicator)
        isIdle.wait()
    }

    private func copy(_ source: String, _ target: String) throws -> SyncOutcome {
        let endpoint = DatabaseEndpoint(database: try database(target))
        return try SyncOnce(endpoint, .push, try database(source)).outcome()
    }
}

extension PeerUsage {
    static func now() -> PeerUsage {
        let usage = CurrentProcess.usage()
        return PeerUsage(
            processorSeconds: Double(usage.userMicroseconds + usage.systemMicroseconds) / 1e6,
            residentByteCount: Double(OwnProcess.residentByteCount),
            peakByteCount: peak()
        )
    }

    /// The most memory in RAM since the process began or `forgetPeak`.
    private static func peak() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? 0) * 1_024
    }

    /// Resets the peak to what is in RAM now.
    static func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }
}
