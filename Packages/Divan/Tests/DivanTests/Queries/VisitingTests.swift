import Divan
import Foundation
import Synchronization
import Testing

/// Calls that pass rows, documents or pieces of a blob to a closure, in `async` code.
@Suite struct VisitingTests {
    private struct Enough: Error {}

    private let database: Database
    private let notes: DocumentCollection

    init() throws {
        database = try Database.inMemory()
        notes = try database.collection("notes")
        try notes.save((1...3).map { Note(id: "\($0)", title: "Note \($0)") })
    }

    /// Runs `visit` with a closure that counts its items and throws at the second one; returns their number.
    private func countUntilSecond<Item>(
        _ visit: (@escaping @Sendable (Item) throws -> Void) async throws -> Void
    ) async -> Int {
        let counter = Counter()
        await #expect(throws: Enough.self) {
            try await visit { _ in if counter.next() == 2 { throw Enough() } }
        }
        return counter.value
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    @Test func `an error of the closure ends the visit and is rethrown unchanged`() async throws {
        let query = notes.documents(of: Note.self)
        #expect(await countUntilSecond { try await query.forEachDocument($0) } == 2)
        let rowCount = await countUntilSecond { (visit: @escaping @Sendable (Row) throws -> Void) in
            try await database.forEachRow("SELECT * FROM notes") { try visit($0) }
        }
        #expect(rowCount == 2)
        let blob = Blob(Data(count: 200_000))
        try await notes.save(Document(id: "film", ["film": blob.documentValue]))
        let film = try #require(try await notes.get("film")?.film?.blob)
        #expect(await countUntilSecond { try await film.forEachPiece($0) } == 2)
        #expect(throws: Enough.self) { try film.forEachPiece { _ in throw Enough() } }
        #expect(throws: Enough.self) { try blob.forEachPiece { _ in throw Enough() } }
    }

    @Test func `a cancelled task visits nothing more`() async throws {
        let counter = Counter()
        let (notes, database) = (notes, database)
        let blob = Blob(Data([1]))
        let visits: [@Sendable () async throws -> Void] = [
            {
                try await notes.documents(of: Note.self).forEachDocument { _ in _ = counter.next() }
            },
            { try await database.forEachRow("SELECT * FROM notes") { _ in _ = counter.next() } },
            { try await blob.forEachPiece { _ in _ = counter.next() } },
        ]
        for visit in visits {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await visit()
            }
            let error = await #expect(throws: DivanError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(counter.value == 0)
    }

    @Test func `a query counts the documents that it returns`() async throws {
        func query(_ limit: Int?) -> DocumentQuery<Note> {
            notes.documents(of: Note.self, orderBy: \.title, limit: limit)
        }
        for limit in [nil, 0, 1, 3, 5] {
            let all = try await query(limit).all()
            #expect(try await query(limit).count() == all.count)
            #expect(try await query(limit).first() == all.first)
            let blocking = query(limit)
            let (count, first) = try { (try blocking.count(), try blocking.first()) }()
            #expect(count == all.count && first == all.first)
        }
    }

    @Test func `a document of another type is an error that says where it belongs`() throws {
        struct Chore: Codable, Identifiable { var id: UUID }
        let error = #expect(throws: DivanError.self) { try notes.get("1", as: Chore.self) }
        let text = "\(try #require(error))"
        #expect(text.contains("invalid UUID string); correct the document or the type"))
        #expect(!text.contains(".)"))
    }

    @Test func `a malformed search text is an error with the remedy`() throws {
        try notes.createIndex("words", .text("title"))
        let query = notes.documents(of: Note.self).matching("\"open", index: "words")
        let error = #expect(throws: DivanError.self) { try query.all() }
        #expect(
            error?.description == "collection notes: malformed full-text query: unclosed quotation "
                + "mark; pass the input of a user through Index.searchText(escaping:)"
        )
    }
}
