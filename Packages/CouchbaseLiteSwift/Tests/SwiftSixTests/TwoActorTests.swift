import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Two actors that share a database, each with its own closures.
@Suite(.timeLimit(.minutes(5))) struct TwoActorTests {
    /// Increments a number in a document, and counts the changes that it hears of.
    private actor Counter {
        private let collection: Collection
        private(set) var heard = 0

        init(_ collection: Collection) {
            self.collection = collection
        }

        func raise(times: Int) async throws {
            for _ in 0..<times {
                try await collection.background.update(id: "sum") { document in
                    document.setInt(document.int(forKey: "n") + 1, forKey: "n")
                }
            }
        }

        /// Receives changes until `count` have arrived.
        func listen(to changes: AsyncStream<DocumentChange>, count: Int) async {
            for await _ in changes {
                heard += 1
                if heard == count { return }
            }
        }
    }

    @Test func `two actors lose no increments and get an event for each`() async throws {
        let times = 500
        let directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        let database = try Database(name: "shared", config: config)
        let collection = try database.defaultCollection()
        let counters = [Counter(collection), Counter(collection)]
        let (screenCount, everywhere) = (MainCount(), Tally())
        let own = DispatchQueue(label: "own")
        let tokens = [
            collection.addDocumentChangeListener(id: "sum", on: MainActor.self) { _ in
                screenCount.number += 1
            },
            collection.addChangeListener(queue: own) { change in
                everywhere.add(change.documentIDs.count)
            },
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for counter in counters {
                let changes = collection.documentChanges(id: "sum", bufferingNewest: 4 * times)
                group.addTask { await counter.listen(to: changes, count: 2 * times) }
            }
            for counter in counters { group.addTask { try await counter.raise(times: times) } }
            try await group.waitForAll()
        }
        // Each commit notified the queues before the streams, which have ended.
        await Screen().settle()
        own.sync {}
        for token in tokens { token.remove() }
        #expect(try collection.document(id: "sum")?.int(forKey: "n") == 2 * times)
        for counter in counters { #expect(await counter.heard == 2 * times) }
        #expect(screenCount.number == 2 * times)
        #expect(everywhere.total == 2 * times)
        try database.close()
    }
}

/// A number of the main actor.
private final class MainCount {
    var number = 0
}
