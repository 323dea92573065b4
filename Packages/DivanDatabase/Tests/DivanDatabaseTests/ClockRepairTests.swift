import DivanRevisions
import DivanTestKit
import Synchronization
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A database that was written while the machine's clock was ahead.
@Suite struct ClockRepairTests {
    private static let right: UInt64 = 1_800_000_000_000_000_000
    private static let year: UInt64 = 365 * 86_400_000_000_000
    private let remote = RemoteID(rawValue: 1)

    /// A wall clock, set by hand.
    private final class Wall: Sendable {
        let time = Mutex(ClockRepairTests.right)

        func set(_ value: UInt64) { time.withLock { $0 = value } }
    }

    private func store(_ wall: Wall, _ engine: MemoryEngine = MemoryEngine()) throws -> Store {
        let store = try Store(engine: engine, wallTime: { wall.time.withLock { $0 } })
        try store.upgradeToVersionVectors()
        return store
    }

    @discardableResult
    private func save(_ store: Store, _ id: DocumentID, _ body: String) throws -> RevisionID {
        let outcome = try store.save(id, in: .default, body: Array(body.utf8))
        guard case .saved(let document) = outcome else { throw Unexpected(outcome: "\(outcome)") }
        return document.revisionID
    }

    private func document(_ store: Store, _ id: DocumentID) throws -> StoredDocument {
        let found = try store.read {
            try $0.document(id, in: .default, includingTombstones: true)
        }
        return try #require(found)
    }

    @Test func `saves made while the clock was ahead are found and repaired with all later ones`()
        throws
    {
        let wall = Wall()
        let store = try store(wall)
        try save(store, "before", "{}")
        wall.set(Self.right + Self.year)
        try save(store, "ahead", #"{"n":1}"#)
        wall.set(Self.right)
        for number in 0..<600 { try save(store, DocumentID(unchecked: "later-\(number)"), "{}") }
        let broken = try #require(try store.clockStanding())
        #expect(broken.isAhead && broken.aheadCount == 601 && broken.jump?.dayCount == 365)
        #expect(try store.timeAhead(of: "ahead", in: .default) != nil)
        #expect(try store.timeAhead(of: "before", in: .default) == nil)

        let repair = try store.repairClock()
        #expect(repair.restampedCount == 601 && repair.sharedCount == 0)
        let standing = try #require(try store.clockStanding())
        #expect(!standing.isAhead && standing.aheadCount == 0 && standing.jump == nil)
        #expect(try document(store, "ahead").body == Array(#"{"n":1}"#.utf8))
        #expect(try save(store, "new", "{}").timestamp <= standing.limit)
        #expect(try store.repairClock().restampedCount == 0)
    }

    @Test func `a clock jump is stored with the next save and survives a restart`() throws {
        let (wall, engine) = (Wall(), MemoryEngine())
        let first = try store(wall, engine)
        try save(first, "a", "{}")
        wall.set(Self.right + Self.year)
        try save(first, "b", "{}")
        let second = try store(wall, engine)
        let jump = try #require(try second.clockStanding()?.jump)
        #expect(jump.dayCount == 365)
        try save(second, "c", "{}")
        #expect(try second.clockStanding()?.jump == jump)
        _ = try second.repairClock()
        #expect(try store(wall, engine).clockStanding()?.jump == nil)
    }

    @Test func `rolling back a repair leaves the clock unchanged`() throws {
        struct Undone: Error {}
        let wall = Wall()
        let store = try store(wall)
        wall.set(Self.right + Self.year)
        let ahead = try save(store, "ahead", "{}")
        wall.set(Self.right)
        #expect(throws: Undone.self) {
            try store.write { _ in
                _ = try store.repairClock()
                throw Undone()
            }
        }
        #expect(try document(store, "ahead").revisionID == ahead)
        #expect(try save(store, "next", "{}").timestamp > ahead.timestamp)
    }

    @Test func `revisions that a peer has are kept, and the database gets a new source`() throws {
        let wall = Wall()
        let store = try store(wall)
        wall.set(Self.right + Self.year)
        let shared = try save(store, "shared", "{}")
        try save(store, "own", "{}")
        try store.write { try $0.markKnown("shared", shared, at: remote, in: .default) }
        wall.set(Self.right)
        let source = store.source
        let repair = try store.repairClock()
        #expect(repair.restampedCount == 1 && repair.sharedCount == 1)
        #expect(try document(store, "shared").revisionID == shared)
        #expect(store.source != source)
        let edit = try save(store, "shared", #"{"n":2}"#)
        let limit = try #require(try store.clockStanding()).limit
        #expect(edit.timestamp <= limit && edit.version?.source == store.source)
    }

    @Test func `tombstones are repaired, and documents with revision trees are not changed`() throws
    {
        let wall = Wall()
        let engine = MemoryEngine()
        let trees = try Store(engine: engine, wallTime: { wall.time.withLock { $0 } })
        let old = try save(trees, "old", "{}")
        #expect(try trees.clockStanding() == nil)
        #expect(try trees.repairClock() == ClockRepair())
        try trees.upgradeToVersionVectors()
        wall.set(Self.right + Self.year)
        try save(trees, "gone", "{}")
        _ = try trees.write {
            try $0.save("gone", in: .default, body: Array("{}".utf8), isTombstone: true)
        }
        wall.set(Self.right)
        #expect(try trees.repairClock().restampedCount == 1)
        #expect(try document(trees, "gone").isTombstone)
        #expect(try document(trees, "old").revisionID == old)
    }

    @Test func `documents that expired after a clock jump are not served`() throws {
        let wall = Wall()
        let store = try store(wall)
        try save(store, "e", "{}")
        try save(store, "stays", "{}")
        let minute: UInt64 = 60_000_000_000
        try store.write {
            let due = Int64((Self.right + 30 * minute) / 1_000_000)
            try $0.setExpiration(due, of: "e", in: .default)
        }
        let count = { try store.readLiving { try $0.count(in: .default) } }
        #expect(try count() == 2)
        wall.set(Self.right + 40 * minute)
        #expect(try store.read { try $0.count(in: .default) } == 2)
        #expect(try count() == 1)
        // An expiration that is set after the next one was read.
        try store.write {
            let due = Int64((Self.right + 50 * minute) / 1_000_000)
            try $0.setExpiration(due, of: "stays", in: .default)
        }
        #expect(try count() == 1)
        wall.set(Self.right + 51 * minute)
        #expect(try count() == 0)
    }
}
