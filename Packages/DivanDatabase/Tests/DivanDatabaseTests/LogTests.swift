import CDivanDatabaseFaults
import DivanPlatform
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
// Queries that keep the log are registered with an engine.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// How the log is copied into the file while the writer continues.
struct LogTests {
    /// Sixteen documents fill 4 MiB of log, a quarter of what starts a checkpoint.
    private static let body = Array(
        #"{"filler":"\#(String(repeating: "-", count: 256 << 10))"}"#.utf8
    )
    /// The greatest length of the log, with a transaction and the log's own headers above the limit.
    private static let greatestByteCount =
        SQLiteLimits.logByteCount + SQLiteLimits.logLagByteCount + (1 << 20)

    private static func save(_ numbers: Range<Int>, in store: Store) throws {
        for number in numbers {
            _ = try store.save(
                DocumentID(unchecked: "document-\(number)"),
                in: .default,
                body: body
            )
        }
    }

    private static func logByteCount(_ directory: String) throws -> Int {
        let path = "\(directory)/db.sqlite3-wal"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.size] as? Int)
    }

    @Test func `continuous writes keep the log at a bounded length`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        try Self.save(0..<330, in: store)  // 82 MiB
        #expect(try Self.logByteCount(path) <= Self.greatestByteCount)
        try store.close()
        // Closing waits for a running checkpoint, and leaves no log.
        #expect(!FileManager.default.fileExists(atPath: "\(path)/db.sqlite3-wal"))
        let reopened = try Store.open(directory: path)
        defer { try? reopened.close() }
        try reopened.checkIntegrity()
        #expect(try reopened.read { try $0.count(in: .default) } == 330)
    }

    @Test func `a reader keeps its snapshot during a checkpoint`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        try Self.save(0..<10, in: store)
        try store.read { reader in
            #expect(try reader.count(in: .default) == 10)
            try Self.save(10..<160, in: store)
            #expect(try reader.count(in: .default) == 10)
            #expect(try reader.document("document-10", in: .default) == nil)
        }
        // The reader kept everything in the log; now that it is gone, the log restarts.
        let held = try Self.logByteCount(path)
        try Self.save(160..<310, in: store)
        #expect(try Self.logByteCount(path) <= held + Self.greatestByteCount)
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == 310)
    }

    @Test func `overlapping readers do not keep the log from restarting`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        try Self.save(0..<1, in: store)
        let readers = RelievingReaders(store)
        readers.begin()
        var greatest = 0
        for number in 1..<800 {  // 200 MiB
            try Self.save(number..<number + 1, in: store)
            greatest = max(greatest, try Self.logByteCount(path))
        }
        readers.end()
        #expect(greatest <= SQLiteLimits.heldLogByteCount + 2 * SQLiteLimits.logByteCount)
        #expect(readers.readCount > 100)
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == 800)
    }

    @Test func `a store notices that another store keeps the log from restarting`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        try Self.save(0..<1, in: store)
        let beside = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        defer { try? beside.close() }
        let control = QueryControl()
        let noticeCount = Mutex(0)
        control.whenLogIsLong { noticeCount.withLock { $0 += 1 } }
        let engine = try #require(store.engine as? SQLiteEngine)
        try engine.queries.begin(control, path: path)
        defer { engine.queries.end(control) }
        try beside.read { reader in
            #expect(try reader.count(in: .default) == 1)
            try Self.save(1..<720, in: store)  // 180 MiB
        }
        #expect(noticeCount.withLock { $0 } > 0)
    }

    @Test func `compacting and full sync work during background checkpoints`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        for round in 0..<2 {
            try Self.save(round * 65..<(round + 1) * 65, in: store)
            try store.compact()
            #expect(try Self.logByteCount(path) == 0)
        }
        try Self.save(130..<195, in: store)
        let owner = try Store.open(directory: path, options: StoreOptions(fullSync: true))
        defer { try? owner.close() }
        try Self.save(195..<260, in: owner)
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == 260)
    }
}

/// Two readers, one of which always has a snapshot: each keeps its own until the other has begun, or may
/// not begin.
private final class RelievingReaders: Sendable {
    private let store: Store
    private let isOver = Atomic(false)
    private let count = Atomic(0)
    private let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    private let threads = Mutex<[JoinedThread?]>([])

    init(_ store: Store) {
        self.store = store
    }

    var readCount: Int { count.load(ordering: .relaxed) }

    func begin() {
        threads.withLock { threads in
            threads = (0..<2).map { number in JoinedThread { [self] in readOn(number) } }
        }
        for semaphore in begun {
            semaphore.wait()
            semaphore.signal()
        }
    }

    func end() {
        isOver.store(true, ordering: .relaxed)
        for thread in threads.withLock({ $0 }) { thread?.join() }
    }

    private func readOn(_ number: Int) {
        while !isOver.load(ordering: .relaxed) {
            try? store.read { reader in
                _ = try reader.count(in: .default)
                count.add(1, ordering: .relaxed)
                begun[number].signal()
                _ = begun[1 - number].wait(timeout: .now() + .milliseconds(20))
            }
        }
    }
}

extension FaultTests {
    /// The log is synced before it is copied into the file, on another thread.
    @Test func `nothing is written after a checkpoint whose sync failed`() throws {
        try #require(divan_faults_install() == 0)
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let body = Array(#"{"filler":"\#(String(repeating: "-", count: 256 << 10))"}"#.utf8)
        let store = try Store.open(directory: path)
        // The first commit syncs the log's header.
        _ = try store.save("first", in: .default, body: body)
        divan_faults_arm_syncs(home.path, Errno.ioError.rawValue)
        var savedCount = 1
        let code = try refusal {
            // The writer waits for the checkpoint before it has written that much.
            for number in 0..<400 {
                _ = try store.save(
                    DocumentID(unchecked: "document-\(number)"),
                    in: .default,
                    body: body
                )
                savedCount += 1
            }
        }
        #expect(code == .io(.ioError) && savedCount > 50)
        let again = try refusal { _ = try store.save("later", in: .default, body: body) }
        #expect(again == .io(.ioError))
        #expect(divan_faults_disarm() > 0)
        // The disk works again, and nothing has to be reopened.
        _ = try store.save("later", in: .default, body: body)
        savedCount += 1
        try store.close()
        let reopened = try Store.open(directory: path)
        defer { try? reopened.close() }
        try reopened.checkIntegrity()
        #expect(try reopened.read { try $0.count(in: .default) } == savedCount)
    }
}
