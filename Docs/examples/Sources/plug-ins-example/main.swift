import CouchbaseLiteSwift
import DivanCompression
import DivanDatabase
import DivanDiscovery
import Foundation
import Synchronization

/// Writes a run of equal bytes as its length and the byte; stateless, so it is its own stream.
final class RunCodec: CompressionCodec, StreamCompressor, StreamDecompressor {
    let name = "runs"
    func maximumByteCount(for inputByteCount: Int) -> Int { 2 * inputByteCount }
    func makeCompressor() -> any StreamCompressor { self }
    func makeDecompressor() -> any StreamDecompressor { self }
    func reset() {}
    func compress(_ input: Span<UInt8>, appendingTo output: inout [UInt8]) {
        var next = 0
        while next < input.count {
            let start = next
            while next < input.count, next - start < 255, input[next] == input[start] { next += 1 }
            output += [UInt8(next - start), input[start]]
        }
    }
    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard input.count.isMultiple(of: 2) else { throw .corrupt(codec: "runs", detail: "size") }
        var room = limit
        for place in stride(from: 0, to: input.count, by: 2) {
            room -= Int(input[place])
            guard room >= 0 else { throw .outputTooLarge(codec: "runs", limit: limit) }
            output += repeatElement(input[place + 1], count: Int(input[place]))
        }
    }
}

/// Counts the commits of an engine in memory; a full engine meets the same requirements itself.
final class CountingEngine: StorageEngine, StorageEngineProvider {
    let (name, inner) = ("counting", MemoryEngine())
    let commitCount = Atomic(0)
    func openEngine(in place: StorageEngineLocation) -> any StorageEngine { self }
    var isReadOnly: Bool { false }
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T { try inner.read(body) }
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        defer { commitCount.add(1, ordering: .relaxed) }
        return try inner.write(body)
    }
    func checkIntegrity() throws(StoreError) { try inner.checkIntegrity() }
    func makeDurable() throws(StoreError) {}
    func syncFully() throws(StoreError) {}
    func close() { inner.close() }
}

/// Advertises peers as files of a directory, which all peers of this machine read.
struct FolderDiscovery: PeerDiscovery {
    let folder: URL
    func advertise(
        _ peer: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        let file = folder.appending(path: "\(peer.name).\(peer.service.name)")
        let activity = Activity { record in
            let line = record.map { "\(peer.port) \($0.attributes["database"] ?? "")" }
            try? line.map { try Data($0.utf8).write(to: file, options: .atomic) }
                ?? FileManager.default.removeItem(at: file)
        }
        activity.update(peer.record)
        if (try? Data(contentsOf: file)) == nil { throw .invalidName(peer.name) }
        onEvent(.registered(name: peer.name))
        return activity
    }
    func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) -> any DiscoveryActivity {
        let delivering = NSRecursiveLock()  // no event starts after `stop`, which an event may call
        let search = Task {
            var former: Set<DiscoveredPeer> = []
            while !Task.isCancelled {
                let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
                let present = Set(files.compactMap { peer(in: "\($0)", of: "." + service.name) })
                let found = present.subtracting(former).map { BrowseEvent.found($0) }
                let lost = Set(former.map(\.name)).subtracting(present.map(\.name))
                for event in found + lost.map({ .lost(name: $0) }) {
                    delivering.withLock { if !Task.isCancelled { onEvent(event) } }
                }
                former = present
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        return Activity { _ in delivering.withLock { search.cancel() } }
    }
    private func peer(in file: String, of type: String) -> DiscoveredPeer? {
        let line = try? Data(contentsOf: folder.appending(path: file))
        let pair = line.map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
        guard pair.count == 2, file.hasSuffix(type), let port = UInt16(pair[0]) else { return nil }
        let (name, known) = (file.dropLast(type.count), ["database": "\(pair[1])", "scheme": "ws"])
        return DiscoveredPeer(name: "\(name)", host: "127.0.0.1", port: port, attributes: known)
    }
}

final class Activity: AdvertisementActivity {
    private let change: Mutex<(@Sendable (TextRecord?) -> Void)?>
    init(_ change: @escaping @Sendable (TextRecord?) -> Void) { self.change = Mutex(change) }
    deinit { stop() }
    func update(_ record: TextRecord) { change.withLock { $0 }?(record) }
    func stop() { change.withLock { $0.take() }?(nil) }
}

/// Shares a document, or syncs with a peer that does: plug-ins-example FOLDER NAME [PEER].
let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count >= 2 else { exit(2) }
do {
    let (folder, name, engine) = (URL(filePath: words[0]), words[1], CountingEngine())
    let discovery = FolderDiscovery(folder: folder)
    var config = DatabaseConfiguration()
    config.engine = engine
    let notes = try Database.inMemory(name: "notes", config: config).defaultCollection()
    try notes.save(document: MutableDocument(id: name, data: ["text": "hello", "from": name]))
    if words.count == 2 {
        var shared = URLEndpointListenerConfiguration(collections: [notes])
        (shared.disableTLS, shared.networkInterface) = (true, "127.0.0.1")
        shared.compression = .codec(RunCodec())
        shared.advertisement = ListenerAdvertisement(name: name, through: discovery)
        let listener = URLEndpointListener(config: shared)
        try listener.start()
        print("ws://127.0.0.1:\(listener.port ?? 0)/notes")
        fflush(nil)
        while readLine() != nil {}
        listener.stop()
    } else {
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: DiscoveredEndpoint(name: words[2], through: discovery)
        )
        config.compression = .codec(RunCodec())
        let replicator = Replicator(config: config)
        try await replicator.run()
        print("synced with \(words[2]), codec \(replicator.statistics.compression ?? "none")")
    }
    print("\(notes.count) documents, \(engine.commitCount.load(ordering: .relaxed)) commits")
} catch {
    print(error.localizedDescription)
    exit(1)
}
