import Foundation
import Synchronization
import Testing

// The pace of a live query is internal, as is the memory account.
@testable import CouchbaseLiteSwift
@testable import DivanDatabase

/// When live queries run.
@Suite(.timeLimit(.minutes(5))) struct LiveQueryPaceTests {
    @Test func `a live query that runs out of memory is retried instead of failing`() async throws {
        let shop = try Chairs()
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs ORDER BY name")
        let memory = QueryMemory(byteLimit: 8 << 20)
        #expect(memory.take(memory.byteLimit))
        let (stream, continuation) = AsyncStream.makeStream(of: [String?].self)
        let live = LiveQuery(
            query,
            pace: LiveQuery.Pace(delay: .milliseconds(20)),
            memory: memory
        ) { _, change in
            continuation.yield(change.results?.map { $0.string(at: 0) } ?? ["failed"])
        }
        live.start()
        // Waits for the first run, which cannot succeed.
        live.waitForStop()
        memory.giveBack(memory.byteLimit)
        var told = stream.makeAsyncIterator()
        #expect(await told.next() == ["Bern", "Oslo", "Porto", "Turin"])
        live.end()
    }

    @Test func `new parameters do not wait for a delayed run`() async throws {
        let shop = try Chairs()
        let query = try shop.database.createQuery(
            "SELECT name FROM shop.chairs WHERE seats = $seats ORDER BY name"
        )
        query.parameters = Parameters().setInt(1, forName: "seats")
        let (stream, continuation) = AsyncStream.makeStream(of: [String?].self)
        let live = LiveQuery(
            query,
            pace: LiveQuery.Pace(quietTime: .seconds(3_600), delay: .seconds(3_600))
        ) { _, change in
            continuation.yield(change.results?.map { $0.string(at: 0) } ?? [])
        }
        live.start()
        var told = stream.makeAsyncIterator()
        #expect(await told.next() == ["Bern", "Oslo", "Turin"])
        try shop.save("c5", ["name": "Aachen", "seats": 1])
        #expect(await told.next() == ["Aachen", "Bern", "Oslo", "Turin"])
        // Would be reported in an hour.
        try shop.save("c6", ["name": "Zug", "seats": 1])
        for (seats, names) in [(3, ["Porto"]), (1, ["Aachen", "Bern", "Oslo", "Turin", "Zug"])] {
            query.parameters = Parameters().setInt(seats, forName: "seats")
            #expect(await told.next() == names)
        }
        live.end()
    }
}
