import Divan
import Foundation
import Synchronization
import Testing

/// `api.md` §1: live queries.
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

    /// What a listener heard, one after the other.
    private func told(_ query: any Query) -> (AsyncStream<QueryChange>, ListenerToken) {
        let (stream, continuation) = AsyncStream.makeStream(of: QueryChange.self)
        let queue = DispatchQueue(label: "listener")
        let token = query.addChangeListener(withQueue: queue) { continuation.yield($0) }
        return (stream, token)
    }

    @Test func `the rows are told soon, and again when a commit changed them`() async throws {
        let (stream, token) = told(query)
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next().flatMap(names) == ["Bern", "Oslo", "Turin"])
        try shop.save("c5", ["name": "Aachen", "seats": 1])
        #expect(await changes.next().flatMap(names) == ["Aachen", "Bern", "Oslo", "Turin"])
        token.remove()
        token.remove()
    }

    @Test func `a commit that changes no row, or another collection, is not told`() async throws {
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        _ = await changes.next()
        try shop.save("c6", ["name": "Wide", "seats": 9])
        try shop.makers.save(document: MutableDocument(id: "m9"))
        try shop.save("c7", ["name": "Zug", "seats": 1])
        #expect(await changes.next().flatMap(names) == ["Bern", "Oslo", "Turin", "Zug"])
    }

    /// The number of rows of a query that an index answers at once.
    private func counting() throws -> any Query {
        try shop.chairs.createIndex(withName: "bySeats", config: ValueIndexConfiguration(["seats"]))
        return try shop.database.createQuery("SELECT COUNT(*) FROM shop.chairs WHERE seats = 77")
    }

    private func count(_ change: QueryChange) -> Int { change.results?.next()?.int(at: 0) ?? -1 }

    @Test func `commits of several threads are all told, in order, whoever runs the query`()
        async throws
    {
        let (stream, token) = told(try counting())
        defer { token.remove() }
        let (writers, each) = (4, 50)
        let chairs = shop.chairs
        let saving = (0..<writers).map { writer in
            Task.detached {
                for number in 0..<each {
                    let document = MutableDocument(id: "w\(writer)-\(number)", data: ["seats": 77])
                    try chairs.save(document: document)
                }
            }
        }
        var last = -1
        for await change in stream {
            let count = count(change)
            #expect(count > last)
            last = count
            if count == writers * each { break }
        }
        for task in saving { try await task.value }
    }

    @Test func `a query that is quick no more is told all the same`() async throws {
        let (stream, token) = told(try counting())
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next().map(count) == 0)
        // The first of these may be counted by the thread that saves, and the second takes it too long.
        var expected = 0
        for number in [1, 4_000, 1, 3_000] {
            try shop.database.inBatch {
                for place in 0..<number { try shop.save("q\(expected + place)", ["seats": 77]) }
            }
            expected += number
            while let change = await changes.next(), count(change) != expected {}
        }
    }

    @Test func `a listener may save what its own query counts`() async throws {
        let query = try counting()
        let chairs = shop.chairs
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "saving")) { change in
            let count = change.results?.next()?.int(at: 0) ?? -1
            continuation.yield(count)
            guard count < 5 else { return }
            let document = MutableDocument(id: "own\(count)", data: ["seats": 77])
            #expect(throws: Never.self) { try chairs.save(document: document) }
        }
        defer { token.remove() }
        var counts: [Int] = []
        for await count in stream {
            counts.append(count)
            if count == 5 { break }
        }
        #expect(counts == [0, 1, 2, 3, 4, 5])
    }

    @Test(arguments: 0..<4)
    func `a database closes while another thread saves what a live query counts`(
        round: Int
    )
        async throws
    {
        let (stream, token) = told(try counting())
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        _ = await changes.next()
        let chairs = shop.chairs
        let (saved, saving) = AsyncStream.makeStream(of: Never.self)
        Thread.detachNewThread {
            for number in 0... {
                let document = MutableDocument(id: "s\(number)", data: ["seats": 77])
                guard (try? chairs.save(document: document)) != nil else { break }
            }
            saving.finish()
        }
        if round > 1 { _ = await changes.next() }
        try shop.database.close()
        for await _ in saved {}
    }

    @Test func `new parameters are told`() async throws {
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        _ = await changes.next()
        query.parameters = Parameters().setInt(3, forName: "seats")
        #expect(await changes.next().flatMap(names) == ["Porto"])
    }

    @Test func `parameters that are set while a run is under way are told, too`() async throws {
        // Large enough that a run is still reading when the next parameters come.
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

    @Test func `the metrics tell how often live queries were run`() async throws {
        func runs() throws -> Int {
            let line = Divan.metrics.text.split(separator: "\n")
                .first { $0.hasPrefix("divan_live_query_runs_total ") }
            return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
        }
        let before = try runs()
        var changes = query.changes().makeAsyncIterator()
        _ = try await changes.next()
        #expect(try runs() > before)
    }

    @Test func `a second listener gets the rows as they are`() async throws {
        let (first, token) = told(query)
        var changes = first.makeAsyncIterator()
        _ = await changes.next()
        let (second, other) = told(query)
        var others = second.makeAsyncIterator()
        #expect(await others.next().flatMap(names) == ["Bern", "Oslo", "Turin"])
        token.remove()
        other.remove()
    }

    @Test func `a query that fails is told`() async throws {
        query.parameters = Parameters().setInt(1, forName: "nope")
        let (stream, token) = told(query)
        defer { token.remove() }
        var changes = stream.makeAsyncIterator()
        let error = await changes.next()?.error as NSError?
        #expect(error?.code == CBLError.invalidQueryParam)
    }

    @Test func `a stream gives the rows and ends with the database`() async throws {
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

    @Test func `closing waits for live queries, however many come and go`() async throws {
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
