import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// `sqlpp.md` §11: live queries.
@Suite(.timeLimit(.minutes(5))) struct LiveQueryTests {
    let shop: Chairs
    let query: any Query

    init() throws {
        shop = try Chairs()
        query = try shop.database.createQuery(
            "SELECT name FROM shop.chairs WHERE seats = $seats ORDER BY name"
        )
        query.parameters = Parameters().setInt(1, forName: "seats")
    }

    private func names(_ change: QueryChange) -> [String?]? {
        change.results?.map { $0.string(at: 0) }
    }

    /// What a listener received, in order.
    private func told(_ query: any Query) -> (AsyncStream<QueryChange>, ListenerToken) {
        let (stream, continuation) = AsyncStream.makeStream(of: QueryChange.self)
        let queue = DispatchQueue(label: "listener")
        let token = query.addChangeListener(withQueue: queue) { continuation.yield($0) }
        return (stream, token)
    }

    @Test func `a live query reports its rows at once and after each change to them`() async throws
    {
        let (stream, token) = told(query)
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next().flatMap(names) == ["Bern", "Oslo", "Turin"])
        try shop.save("c5", ["name": "Aachen", "seats": 1])
        #expect(await changes.next().flatMap(names) == ["Aachen", "Bern", "Oslo", "Turin"])
        token.remove()
        token.remove()
    }

    @Test func `commits that do not change the rows, or in other collections, are not reported`()
        async throws
    {
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        _ = await changes.next()
        try shop.save("c6", ["name": "Wide", "seats": 9])
        try shop.makers.save(document: MutableDocument(id: "m9"))
        try shop.save("c7", ["name": "Zug", "seats": 1])
        #expect(await changes.next().flatMap(names) == ["Bern", "Oslo", "Turin", "Zug"])
    }

    @Test func `setting new parameters reports new rows`() async throws {
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        _ = await changes.next()
        query.parameters = Parameters().setInt(3, forName: "seats")
        #expect(await changes.next().flatMap(names) == ["Porto"])
    }

    @Test func `parameters set during a run are applied too`() async throws {
        // Large enough that a run is still reading when the next parameters arrive.
        try shop.database.inBatch {
            for number in 0..<1_000 { try shop.save("n\(number)", ["name": "n", "seats": 100]) }
        }
        var changes = query.changes().makeAsyncIterator()
        for round in 0..<100 {
            query.parameters = Parameters().setInt(9, forName: "seats")
            // Somewhere in that run.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .microseconds(round * 40) {}
            let seats = round.isMultiple(of: 2) ? 3 : 1
            query.parameters = Parameters().setInt(seats, forName: "seats")
            let wanted = seats == 3 ? ["Porto"] : ["Bern", "Oslo", "Turin"]
            while let change = try await changes.next(), names(change) != wanted {}
        }
    }

    @Test func `the metrics count the runs of live queries`() async throws {
        func runs() throws -> Int {
            let line = CouchbaseLiteSwift.metrics.text.split(separator: "\n")
                .first { $0.hasPrefix("divan_live_query_runs_total ") }
            return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
        }
        let before = try runs()
        var changes = query.changes().makeAsyncIterator()
        _ = try await changes.next()
        #expect(try runs() > before)
    }

    @Test func `a second listener gets the current rows`() async throws {
        let (first, token) = told(query)
        var changes = first.makeAsyncIterator()
        _ = await changes.next()
        let (second, other) = told(query)
        var others = second.makeAsyncIterator()
        #expect(await others.next().flatMap(names) == ["Bern", "Oslo", "Turin"])
        token.remove()
        other.remove()
    }

    @Test func `at most eight changes wait for a busy listener`() async {
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        let heard = Atomic(0)
        let token = query.addChangeListener(withQueue: queue) { _ in
            heard.add(1, ordering: .relaxed)
        }
        // Runs at the same pace with a listener.
        let (stream, other) = told(query)
        var changes = stream.makeAsyncIterator()
        for seats in 1...40 {
            query.parameters = Parameters().setInt(seats, forName: "seats")
            _ = await changes.next()
        }
        // What the listener has heard once it has heard what is waiting now.
        let waiting = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: heard.load(ordering: .relaxed)) }
            queue.resume()
        }
        #expect(1...8 ~= waiting)
        token.remove()
        other.remove()
    }

    @Test func `a query error is reported to the listener`() async throws {
        query.parameters = Parameters().setInt(1, forName: "nope")
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        let error = await changes.next()?.error as NSError?
        #expect(error?.code == CBLError.invalidQueryParam)
    }

    @Test func `deleting and recreating a collection updates a live query without a save`()
        async throws
    {
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next().flatMap(names)?.count == 3)
        try shop.database.deleteCollection(name: "chairs", scope: "shop")
        #expect(await changes.next()?.error != nil)
        _ = try shop.database.createCollection(name: "chairs", scope: "shop")
        #expect(await changes.next().flatMap(names) == [])
    }

    @Test func `changing a full-text index updates a live query without a save`()
        async throws
    {
        let words = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name"))
        try shop.chairs.createIndex(words, name: "words")
        let query = try shop.database.createQuery(
            "SELECT name FROM shop.chairs WHERE MATCH(words, 'turin')"
        )
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next().flatMap(names) == ["Turin"])
        try shop.chairs.deleteIndex(forName: "words")
        #expect(await changes.next()?.error != nil)
        try shop.chairs.createIndex(words, name: "words")
        #expect(await changes.next().flatMap(names) == ["Turin"])
        let makers = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("maker"))
        try shop.chairs.createIndex(makers, name: "words")
        #expect(await changes.next().flatMap(names) == [])
    }

    @Test func `a stream yields the rows and ends when the database is closed`() async throws {
        var count = 0
        for try await change in query.changes() {
            count += 1
            if count == 1 {
                #expect(names(change) == ["Bern", "Oslo", "Turin"])
                try shop.save("c5", ["name": "Aachen", "seats": 1])
            } else {
                #expect(names(change)?.count == 4)
                try shop.database.close()
            }
        }
        #expect(count == 2)
    }

    @Test func `closing waits for all live queries`() async throws {
        let heard = Atomic(0)
        for _ in 0..<50 {
            let token = query.addChangeListener(withQueue: .global()) { _ in
                heard.add(1, ordering: .relaxed)
            }
            if Bool.random() { token.remove() }
        }
        try shop.save("c5", ["name": "Aachen", "seats": 1])
        try shop.database.close()
        #expect(heard.load(ordering: .relaxed) <= 100)
    }
}
