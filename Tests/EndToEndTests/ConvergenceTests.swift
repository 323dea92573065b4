import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Three databases, one in the middle: whatever is edited, all are equal in the end.
///
/// Real sockets, real TLS, real files. Each run depends only on its seed, which a failure names.
@Suite struct ConvergenceTests {
    private static let documentIDs = (0..<12).map { "doc\($0)" }

    @Test(arguments: UInt64(1)...6)
    func `random edits on both sides of a hub converge`(seed: UInt64) async throws {
        let network = Network()
        defer { network.remove() }
        var generator = SeededGenerator(seed: seed)
        let hub = try network.database("hub")
        let sides = [try network.database("left"), try network.database("right")]
        let listener = try network.listener(hub)
        for _ in 0..<4 {
            for database in sides + [hub] { try edit(database, using: &generator) }
            for side in sides { try await network.replicator(side, listener).run() }
        }
        // The first side does not have the results of the second one's last conflicts yet.
        for side in sides + sides { try await network.replicator(side, listener).run() }
        let expected = try hub.contents(of: Self.documentIDs)
        for side in sides {
            #expect(try side.contents(of: Self.documentIDs) == expected, "seed \(seed)")
        }
        listener.stop()
        for database in sides + [hub] { try database.close() }
    }

    private func edit(_ database: Database, using generator: inout SeededGenerator) throws {
        let collection = try database.defaultCollection()
        for _ in 0..<5 {
            let index = Int.random(in: Self.documentIDs.indices, using: &generator)
            let documentID = Self.documentIDs[index]
            let existing = try collection.document(id: documentID)
            if let existing, Int.random(in: 0..<4, using: &generator) == 0 {
                try collection.delete(document: existing)
                continue
            }
            let document = existing?.toMutable() ?? MutableDocument(id: documentID)
            document.setInt(Int.random(in: 0..<1000, using: &generator), forKey: "number")
            document.setString(database.name, forKey: "by")
            try collection.save(document: document)
        }
    }

    @Test func `a chain of three databases passes on changes continuously`() async throws {
        let network = Network()
        defer { network.remove() }
        let databases = try ["first", "second", "third"].map { try network.database($0) }
        let listeners = try databases.prefix(2).map { try network.listener($0) }
        let replicators = try zip(databases.dropFirst(), listeners).map { database, listener in
            try network.replicator(database, listener) { $0.continuous = true }
        }
        for replicator in replicators { replicator.start() }
        let first = try databases[0].defaultCollection()
        let third = try databases[2].defaultCollection()

        let arrivals = third.changes()
        try first.save(document: MutableDocument(id: "down", data: ["from": "first"]))
        try await wait(for: "down", in: arrivals)

        let returns = first.changes()
        try third.save(document: MutableDocument(id: "up", data: ["from": "third"]))
        try await wait(for: "up", in: returns)

        for database in databases.reversed() { try database.close() }
    }

    private func wait(
        for documentID: String,
        in changes: some AsyncSequence<CollectionChange, Never>
    ) async throws {
        for await change in changes where change.documentIDs.contains(documentID) { return }
        Issue.record("the changes ended before \(documentID) came")
    }
}
