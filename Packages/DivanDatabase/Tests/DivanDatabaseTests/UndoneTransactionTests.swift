import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// The pages of a file are limited on the connection that writes.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What SQLite itself rolls back in the middle of a transaction, as it does on a full disk.
@Suite struct UndoneTransactionTests {
    private let large = Array(#"{"text":"\#(String(repeating: "x", count: 400_000))"}"#.utf8)

    /// Limits the file to its current pages, or to more than any test fills.
    private func fill(_ isFull: Bool, _ writer: StoreWriter) throws {
        let session = try #require(try writer.changing() as? SQLiteSession)
        let count = isFull ? try session.connection.integer("PRAGMA page_count") ?? 0 : 1_000_000
        _ = try session.connection.integer("PRAGMA max_page_count = \(count)")
    }

    private func filledRoom(_ kind: EngineKind) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        try room.save("first")
        return room
    }

    @Test(arguments: EngineKind.onDisk)
    func `after a save fails on a full disk the rest of the transaction is not stored`(
        _ kind: EngineKind
    ) throws {
        let room = try filledRoom(kind)
        let notices = Notices()
        let observation = room.store.observe { notices.add($0) }
        defer { observation.cancel() }
        let code = try refusal {
            try room.store.write { writer in
                try room.save("before")
                try fill(true, writer)
                let full = try refusal {
                    try room.store.write { _ = try $0.save("large", in: .default, body: large) }
                }
                #expect(full == .diskFull)
                try fill(false, writer)
                _ = try? room.save("after")
            }
        }
        #expect(code == .diskFull)
        #expect(notices.take() == [])
        #expect(try room.count() == 1)
        for id in ["before", "large", "after"] {
            #expect(try room.document(DocumentID(unchecked: id)) == nil, "\(id)")
        }
        try room.store.checkIntegrity()
        #expect(try room.save("later").sequence == 2)
    }

    @Test(arguments: EngineKind.onDisk)
    func `values, collections and purges after a full disk are not stored either`(
        _ kind: EngineKind
    ) throws {
        let room = try filledRoom(kind)
        let people = try #require(CollectionPath("people"))
        let code = try refusal {
            try room.store.write { writer in
                try fill(true, writer)
                _ = try? writer.save("large", in: .default, body: large)
                try fill(false, writer)
                try? writer.setMetadata("key", [1])
                try? writer.createCollection(people)
                try? writer.setExpiration(1, of: "first", in: .default)
                _ = try? writer.purge("first", in: .default)
            }
        }
        #expect(code == .diskFull)
        #expect(try room.store.read { try $0.metadata("key") } == nil)
        #expect(try !room.store.hasCollection(people))
        #expect(try room.store.read { try $0.expiration(of: "first", in: .default) } == nil)
        #expect(try room.document("first") != nil)
    }
}
