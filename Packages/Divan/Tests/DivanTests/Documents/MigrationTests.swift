import Divan
import DivanTestKit
import Foundation
import Testing

/// Changes of documents that run once in each database.
@Suite struct MigrationTests {
    private let shop: DiskDatabase
    private var db: Database { shop.database }

    init() throws {
        shop = try DiskDatabase()
        try shop.database.collection("dishes").save(Document(id: "soup", ["price": 4]))
    }

    private func adding(_ amount: Int, _ name: String) -> Database.Migration {
        .init(name) { transaction in
            try transaction.collection("dishes").update("soup") { soup in
                soup.price = (soup.price?.int ?? 0) + amount
            }
        }
    }

    private func price(_ db: Database) throws -> Int? {
        try db.collection("dishes").get("soup")?.price?.int
    }

    @Test func `each migration runs once, in order, also after the database was reopened`() throws {
        let first = [adding(1, "one"), adding(10, "two")]
        #expect(try db.appliedMigrations == [])
        #expect(try db.migrate(first) == ["one", "two"])
        #expect(try db.migrate(first) == [])
        #expect(try price(db) == 15)
        try db.close()
        let again = try shop.reopened()
        #expect(try again.migrate(first + [adding(100, "three")]) == ["three"])
        #expect(try again.appliedMigrations == ["one", "two", "three"])
        #expect(try price(again) == 115)
    }

    @Test func `a migration that fails is rolled back and named, and those before it stay`() throws
    {
        struct Spoilt: Error {}
        let failing = Database.Migration("two") { transaction in
            try transaction.collection("dishes").delete("soup")
            throw Spoilt()
        }
        let error = #expect(throws: DivanError.self) {
            try db.migrate([adding(1, "one"), failing, adding(10, "three")])
        }
        #expect(error?.underlying is Spoilt)
        #expect(error?.place == #"migration "two""#)
        #expect(try db.appliedMigrations == ["one"])
        #expect(try price(db) == 5)
        #expect(try db.migrate([adding(1, "one"), adding(10, "two")]) == ["two"])
        #expect(try price(db) == 15)
    }

    @Test func `the code and the remedy of an error of a migration stay`() throws {
        let failing = Database.Migration("index") { transaction in
            try transaction.collection("dishes").createIndex("prices", .values("price +"))
        }
        let error = #expect(throws: DivanError.self) { try db.migrate([failing]) }
        #expect(error?.code == .invalidQuery)
        #expect(error?.description.hasPrefix(#"migration "index", "#) == true)
    }

    @Test func `a database that a newer program has migrated is refused, and nothing runs`() throws
    {
        try db.migrate([adding(1, "one"), adding(10, "two")])
        let error = #expect(throws: DivanError.self) {
            try db.migrate([adding(1, "one"), adding(100, "other")])
        }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.problem.contains(#""two""#) == true)
        #expect(error?.remedy != nil)
        #expect(try price(db) == 15)
    }

    @Test(arguments: [["one", "one"], [""], ["a\0b"]])
    func `names that are equal, empty or contain a zero byte are refused`(_ names: [String]) throws
    {
        expect(.invalidArgument) { try db.migrate(names.map { adding(1, $0) }) }
        #expect(try db.appliedMigrations == [])
        #expect(try price(db) == 4)
    }

    @Test func `a read-only database accepts migrations that have run`() throws {
        try db.migrate([adding(1, "one")])
        let reader = try shop.reopened(.init(isReadOnly: true))
        #expect(try reader.migrate([adding(1, "one")]) == [])
        expect(.readOnly) { try reader.migrate([adding(1, "one"), adding(10, "two")]) }
    }

    @Test func `migrations of several tasks at the same time run once`() async throws {
        let migrations = (1...5).map { adding($0, "number \($0)") }
        let ran = try await withThrowingTaskGroup(of: Int.self) { [db] group in
            for _ in 1...4 {
                group.addTask { try await db.migrate(migrations).count }
            }
            return try await group.reduce(0, +)
        }
        #expect(ran == 5)
        #expect(try price(db) == 4 + 15)
    }

    @Test func `a cancelled task stops before the next migration`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = DispatchSemaphore(value: 0)
        let waiting = Database.Migration("wait") { _ in
            begin.yield()
            isCancelled.wait()
        }
        let task = Task { [db, waiting, next = adding(1, "one")] in
            try await db.migrate([waiting, next])
        }
        for await _ in begun { break }
        task.cancel()
        isCancelled.signal()
        await #expect { try await task.value } throws: { DivanError.cancelled ~= $0 }
        #expect(try db.appliedMigrations == ["wait"])
    }

    @Test func `a restored dump and a copy know which migrations have run`() throws {
        try db.migrate([adding(1, "one"), adding(10, "two")])
        let full = shop.url.appending(path: "full.dump")
        let later = shop.url.appending(path: "later.dump")
        #expect(try db.dump(to: full).isComplete)
        try db.migrate([adding(1, "one"), adding(10, "two"), adding(100, "three")])
        #expect(try db.dump(to: later, since: full).isComplete)
        _ = try Database.restore(from: [full], to: "before", in: shop.url)
        _ = try Database.restore(from: [full, later], to: "after", in: shop.url)
        try Database.copy(try #require(db.url), to: "copy", in: shop.url)
        let applied = try ["before", "after", "copy"].map { name in
            try Database.open(name, in: shop.url).appliedMigrations.count
        }
        #expect(applied == [2, 3, 3])
    }

    @Test func `the record is not synced`() async throws {
        try await db.migrate([adding(1, "one")])
        let other = try Database.inMemory()
        _ = try await other.collection("dishes")
        _ = try await Sync(db, with: other).run()
        #expect(try price(other) == 5)
        #expect(try other.appliedMigrations == [])
    }
}
