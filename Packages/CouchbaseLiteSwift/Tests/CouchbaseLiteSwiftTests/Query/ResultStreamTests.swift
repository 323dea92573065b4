import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Rows one by one, and lists that update only what moved.
@Suite(.timeLimit(.minutes(5))) struct ResultStreamTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    @Test func `rows are streamed one at a time from one snapshot`() async throws {
        try shop.database.inBatch {
            for number in 0..<2_000 { try shop.save("n\(number)", ["name": "N", "n": number]) }
        }
        let query = try shop.database.createQuery(
            "SELECT n FROM shop.chairs WHERE n IS NOT MISSING"
        )
        var found: [Int] = []
        for try await row in query.stream() {
            if found.isEmpty { try shop.save("later", ["name": "N", "n": 2_000]) }
            found.append(row.int(at: 0))
        }
        #expect(found.sorted() == Array(0..<2_000))
        let none = try shop.database.createQuery("SELECT name FROM shop.chairs WHERE FALSE")
        for try await _ in none.stream() { Issue.record("a row") }
    }

    @Test func `a stream ends its query on break, cancellation, timeout or close`() async throws {
        let sources = (0..<20).map { "JOIN shop.chairs AS j\($0) ON TRUE" }.joined(separator: " ")
        let query = try shop.database.createQuery("SELECT c.name FROM shop.chairs AS c \(sources)")
        for try await _ in query.stream() { break }
        let task = Task { for try await _ in query.stream() {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: (any Error).self) {
            for try await _ in query.stream(limit: .milliseconds(50)) {}
        }
        var rows = query.stream().makeAsyncIterator()
        #expect(try await rows.next() != nil)
        try shop.database.close()
        await #expect(throws: (any Error).self) { while try await rows.next() != nil {} }
    }

    /// What a screen would show after a difference.
    private func applied(_ difference: QueryDifference, to old: [String]) -> [String] {
        var list = old
        for offset in difference.removed.reversed() { list.remove(at: offset) }
        for placement in difference.placed {
            let text = difference.results[placement.offset].string(at: 0) ?? ""
            if let former = placement.formerOffset { #expect(old[former] == text) }
            list.insert(text, at: placement.offset)
        }
        return list
    }

    @Test func `applying each difference to the old list gives the new list`() async throws {
        let seed = TestSeed.choose()
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let query = try shop.database.createQuery(
            "SELECT META().id AS id, n FROM shop.chairs WHERE n > 2 ORDER BY n, META().id"
        )
        var list: [String] = []
        var round = 0
        for try await difference in query.differences(by: "id") {
            list = applied(difference, to: list)
            #expect(list == difference.results.map { $0.string(at: 0) })
            for offset in difference.updated {
                #expect(difference.results.indices.contains(offset))
            }
            round += 1
            if round > 4 { break }
            try shop.database.inBatch {
                for _ in 0..<10 {
                    let id = "n\(Int.random(in: 0..<15, using: &random))"
                    try shop.save(id, ["n": Int.random(in: 0..<9, using: &random)])
                }
                try shop.save("round\(round)", ["n": 5])
            }
        }
        #expect(round == 5)
    }

    @Test func `a moved row is reported as one move, and a changed column as an update`()
        async throws
    {
        let query = try shop.database.createQuery(
            "SELECT name, price FROM shop.chairs WHERE price > 0 ORDER BY price"
        )
        var differences = query.differences(by: "name").makeAsyncIterator()
        let first = try #require(try await differences.next())
        #expect(first.placed.map(\.offset) == [0, 1, 2, 3] && first.removed.isEmpty)
        try shop.save("c3", ["name": "Turin", "price": 900])
        let second = try #require(try await differences.next())
        #expect(second.removed == [0] && second.updated == [2])
        #expect(second.placed == second.placed.filter { $0.formerOffset == 0 && $0.offset == 2 })
    }

    @Test func `a cancelled task gets no more rows, even if they were already read`() async throws {
        try shop.database.inBatch {
            for number in 0..<100 { try shop.save("n\(number)", ["name": "N", "n": number]) }
        }
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs")
        let task = Task {
            var count = 0
            for try await _ in query.stream() {
                count += 1
                // The second row of a batch of four.
                if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                #expect(count <= 3)
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
