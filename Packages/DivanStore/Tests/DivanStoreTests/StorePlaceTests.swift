import DivanCrypto
import DivanDelta
import DivanMemoryEngine
@_spi(Database) import DivanStore
import Synchronization
import Testing

/// What a store asks of the place of its files.
@Suite struct StorePlaceTests {
    private final class Place: StorePlace {
        let directory = "/travel.cblite2"
        let byteCounts = (file: 4_096, log: 512)
        let calls = Mutex<[String]>([])
        var ownerCount: Int { 2 }

        func syncCommits() { calls.withLock { $0.append("sync") } }
        func leave(_ store: Store) { calls.withLock { $0.append("leave") } }
    }

    private final class Work: StoreBackgroundWork {
        let calls = Mutex<[Bool]>([])

        func close(waits: Bool) { calls.withLock { $0.append(waits) } }
        func reopen() {}
    }

    private func store(at place: Place?) throws -> Store {
        let engine = MemoryEngine()
        return Store(
            engine: engine,
            blobs: BlobStore(BlobMemory()),
            identity: try StoreIdentity(of: engine, random: SystemRandomSource()),
            archive: .deltas,
            place: place
        )
    }

    @Test func `a store has the directory, owners and sizes of its place`() throws {
        let store = try store(at: Place())
        #expect(store.directory == "/travel.cblite2" && store.ownerCount == 2)
        let usage = try store.usage()
        #expect(usage.fileByteCount == 4_096 && usage.logByteCount == 512)
    }

    @Test func `syncing and closing are left to the place`() throws {
        let place = Place()
        let store = try store(at: place)
        try store.syncCommits()
        try store.close()
        #expect(place.calls.withLock { $0 } == ["sync", "leave"])
        // It is the place that closes the engine.
        #expect(try store.collections() == [.default])
    }

    @Test func `a store in memory is closed, after its work has ended`() throws {
        let store = try store(at: nil)
        #expect(store.startedWork == nil)
        let work = store.backgroundWork { Work() }
        #expect(store.backgroundWork { Work() } === work)
        try store.close()
        #expect(work.calls.withLock { $0 } == [true])
        #expect(throws: StoreError(.notOpen)) { try store.collections() }
    }
}
