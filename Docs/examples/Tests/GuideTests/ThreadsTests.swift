import Divan
import Testing

/// The functions of the guide to threads do what it says.
@Suite struct ThreadsTests {
    private func collection() throws -> DocumentCollection {
        try Database.inMemory().collection("dishes")
    }

    @Test func `no sale is lost when many tasks sell concurrently`() async throws {
        let till = Till(try collection())
        let counts = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<20 { tasks.addTask { try await till.sell("soup") } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.sorted() == Array(1...20))
    }

    @Test func `documents are added in one transaction`() async throws {
        let dishes = try collection()
        try await add(["soup", "stew"], to: dishes)
        #expect(try await dishes.count() == 2)
    }

    @Test @MainActor func `the view model receives changes on the main actor`() async throws {
        let dishes = try collection()
        let board = Board()
        board.follow(dishes)
        // The loop begins at any time after the call.
        while board.changed.isEmpty {
            try await dishes.save(Document(id: "soup"))
            await Task.yield()
        }
        #expect(board.changed == ["soup"])
        board.leave()
    }

    @Test func `a push filter counts documents`() async throws {
        let (here, there) = (try collection(), try collection())
        let counter = PushCounter()
        try await here.save(Document(id: "soup"))
        let selection = counter.selection(of: here)
        try await Sync(here.database, with: there.database, collections: [selection]).run()
        #expect(await counter.counts["soup", default: 0] >= 1)
        #expect(try await there.count() == 1)
    }
}
