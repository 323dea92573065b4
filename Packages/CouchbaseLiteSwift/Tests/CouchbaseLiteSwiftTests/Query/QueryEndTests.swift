import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// The database, a collection or an index is deleted while a query, a live query or an index creation is running.
@Suite(.timeLimit(.minutes(5))) struct QueryEndTests {
    enum End: CaseIterable {
        case close, delete, deleteCollection, deleteIndex
    }

    private static let count = 2_000

    let home: TemporaryDatabase
    let chairs: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        let chairs = try home.database.createCollection(name: "chairs")
        self.chairs = chairs
        try home.database.inBatch {
            for number in 0..<Self.count {
                let data: [String: Any] = [
                    "price": number, "tags": ["a", "t\(number)"], "name": "chair \(number)",
                ]
                try chairs.save(document: MutableDocument(id: "c\(number)", data: data))
            }
        }
        try chairs.createIndex(withName: "prices", config: ValueIndexConfiguration(["price"]))
        try chairs.createIndex(withName: "tagged", config: ArrayIndexConfiguration(path: "tags"))
        try chairs.createIndex(withName: "words", config: FullTextIndexConfiguration(["name"]))
    }

    private static let statements = [
        "SELECT META().id FROM chairs WHERE price >= 0",
        "SELECT META(c).id FROM chairs AS c UNNEST c.tags AS t WHERE t = 'a'",
        "SELECT META().id FROM chairs WHERE MATCH(words, 'chair')",
        "SELECT META().id FROM chairs WHERE name LIKE '%a%'",
    ]

    private func apply(_ end: End) throws { try Self.apply(end, home.database, chairs) }

    private static func apply(
        _ end: End,
        _ database: Database,
        _ chairs: CouchbaseLiteSwift.Collection
    ) throws {
        switch end {
        case .close: try database.close()
        case .delete: try database.delete()
        case .deleteCollection: try database.deleteCollection(name: "chairs")
        case .deleteIndex:
            for name in ["prices", "tagged", "words"] { try chairs.deleteIndex(forName: name) }
        }
    }

    /// Whether an error says that the object of the query no longer exists.
    private static func isEnd(_ error: any Error) -> Bool {
        let error = error as NSError
        let codes = [
            CBLError.notOpen, CBLError.notFound, CBLError.invalidQuery, CBLError.missingIndex,
        ]
        return error.domain == CBLError.domain && codes.contains(error.code)
    }

    @Test(arguments: End.allCases, statements)
    func `reading rows while the database closes ends with an error or the complete snapshot`(
        _ end: End,
        _ sql: String
    ) async throws {
        let query = try home.database.createQuery(sql)
        var ids: Set<String> = []
        do {
            for try await row in query.stream() {
                ids.insert(try #require(row.string(at: 0)))
                if ids.count == 10 { try apply(end) }
            }
            #expect(ids.count == Self.count)
        } catch {
            #expect(Self.isEnd(error), "\(error)")
            #expect(end != .deleteIndex, "a snapshot has its indexes")
        }
        do {
            // The same query again: without the index, or not at all.
            #expect(try query.execute().allResults().count == Self.count)
            #expect(end == .deleteIndex && !sql.contains("MATCH"))
        } catch {
            #expect(Self.isEnd(error), "\(error)")
            #expect(end != .deleteIndex || sql.contains("MATCH"))
        }
    }

    @Test(arguments: End.allCases)
    func `a query running on another thread ends with rows or an error`(_ end: End) async throws {
        let (database, chairs) = (home.database, chairs)
        let queries = try Self.statements.map { try database.createQuery($0) }
        let begun = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for query in queries {
                group.addTask {
                    for _ in 0..<50 {
                        begun.add()
                        do {
                            #expect(try query.execute().allResults().count == Self.count)
                        } catch {
                            #expect(Self.isEnd(error), "\(error)")
                        }
                    }
                }
            }
            group.addTask {
                while begun.count < 6 { await Task.yield() }
                try Self.apply(end, database, chairs)
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [End.deleteCollection, .deleteIndex], statements)
    func `a live query reports that its collection is deleted, but continues without its index`(
        _ end: End,
        _ sql: String
    ) async throws {
        let query = try home.database.createQuery(sql)
        var changes = query.changes().makeAsyncIterator()
        #expect(try await changes.next()?.results?.allResults().count == Self.count)
        try apply(end)
        if end == .deleteIndex {
            let data: [String: Any] = ["price": 1, "tags": ["a"], "name": "a chair"]
            try chairs.save(document: MutableDocument(id: "new", data: data))
        }
        do {
            let count = try await changes.next()?.results?.allResults().count
            #expect(count == Self.count + 1)
            #expect(end == .deleteIndex && !sql.contains("MATCH"))
        } catch {
            #expect(Self.isEnd(error), "\(error)")
            #expect(end == .deleteCollection || sql.contains("MATCH"))
        }
    }

    @Test(arguments: [End.close, .delete])
    func `a live query ends when the database is closed`(_ end: End) async throws {
        let query = try home.database.createQuery(Self.statements[0])
        var changes = query.changes().makeAsyncIterator()
        _ = try await changes.next()
        try apply(end)
        #expect(try await changes.next() == nil)
    }

    @Test(arguments: End.allCases, 0..<TestLength.of(2, long: 4))
    func `an index being created is either complete or missing after the database closes`(
        _ end: End,
        _ round: Int
    ) async throws {
        let (database, chairs) = (home.database, chairs)
        let begun = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let configurations: [any IndexConfiguration] = [
                    ValueIndexConfiguration(["name", "price"]),
                    FullTextIndexConfiguration(["name", "tags"]),
                    ArrayIndexConfiguration(path: "tags"),
                ]
                do {
                    for (number, configuration) in configurations.enumerated() {
                        begun.add()
                        try chairs.createIndex(withName: "new\(number)", config: configuration)
                    }
                } catch {
                    #expect(Self.isEnd(error), "\(error)")
                }
            }
            group.addTask {
                while begun.count == 0 { await Task.yield() }
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .milliseconds(round * 5) {}
                try Self.apply(end, database, chairs)
            }
            try await group.waitForAll()
        }
        if end == .close || end == .delete {
            let again = try home.reopened()
            defer { try? again.close() }
            try again.performMaintenance(type: .integrityCheck)
            let found = try again.collection(name: "chairs")
            #expect(try found?.indexes().count ?? 0 <= 6)
        } else {
            try home.database.performMaintenance(type: .integrityCheck)
        }
    }
}

/// How often something happened, on any thread.
private final class Tally: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}
