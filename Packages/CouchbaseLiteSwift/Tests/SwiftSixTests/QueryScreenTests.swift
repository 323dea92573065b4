import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Queries as in a current application: Swift 6 mode, on the main actor by default, without a warning.
@Suite(.timeLimit(.minutes(5))) struct QueryScreenTests {
    nonisolated final class Hotel: Codable {
        @DocumentID var id: String?
        var name: String
        var price: Double
        var tags: [String]?

        init(id: String, name: String, price: Double) {
            self.name = name
            self.price = price
            tags = [name, "all"]
            self.id = id
        }
    }

    /// What a screen shows for a live query.
    final class HotelList {
        private(set) var names: [String] = []
        private(set) var changeCount = 0
        private var token: ListenerToken?

        func show(_ query: any Query) {
            token = query.addChangeListener { change in
                let names = change.results?.compactMap { $0.string(forKey: "name") } ?? []
                Task { @MainActor in self.take(names) }
            }
        }

        func leave() { token?.remove() }

        private func take(_ names: [String]) {
            self.names = names
            changeCount += 1
        }
    }

    private let directory: TemporaryDirectory
    private let database: Database
    private let hotels: Collection

    init() throws {
        directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        database = try Database(name: "travel", config: config)
        hotels = try database.createCollection(name: "hotels")
        for (id, name, price) in [("a", "Arc", 60.0), ("b", "Brunnen", 80.5), ("c", "Cour", 240)] {
            try hotels.save(from: Hotel(id: id, name: name, price: price))
        }
    }

    @Test func `a query can be sent to another actor, and its rows come back`() async throws {
        let query = try database.createQuery(
            "SELECT META().id, name FROM hotels WHERE price < $most ORDER BY name"
        )
        query.parameters = Parameters().setInt(100, forName: "most")
        let names = try await Task.detached {
            try query.execute().map { $0.string(forKey: "name") ?? "?" }
        }.value
        #expect(names == ["Arc", "Brunnen"])
        let rows = try await query.results().allResults()
        #expect(rows.map { $0.string(forKey: "id") } == ["a", "b"])
    }

    @Test func `the main actor can build and run a query`() async throws {
        let isForAll = ArrayFunction.contains(
            Expression.property("tags"),
            value: Expression.string("all")
        )
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id), SelectResult.property("name"))
            .from(DataSource.collection(hotels))
            .where(Expression.property("price").greaterThan(Expression.int(70)).and(isForAll))
            .orderBy(Ordering.property("price").descending())
            .limit(Expression.int(1))
        #expect(try query.execute().next()?.string(forKey: "name") == "Cour")
        #expect(try query.explain().contains("SCAN"))
    }

    @Test func `models are decoded from rows`() async throws {
        let query = try database.createQuery("SELECT META().id, * FROM hotels ORDER BY name")
        let found = try query.execute().data(as: Hotel.self, dataKey: "hotels")
        #expect(found.map(\.id) == ["a", "b", "c"])
        #expect(found.map(\.price) == [60, 80.5, 240])
        let first = try #require(try query.execute().next())
        #expect(try first.data(as: Hotel.self, dataKey: "hotels").name == "Arc")
    }

    @Test func `a listener updates the screen when the query's rows change`() async throws {
        let list = HotelList()
        let query = try database.createQuery("SELECT name FROM hotels ORDER BY name")
        list.show(query)
        while list.names.count < 3 { await Task.yield() }
        try hotels.save(from: Hotel(id: "d", name: "Dom", price: 1))
        while list.names.last != "Dom" { await Task.yield() }
        list.leave()
        #expect(list.names == ["Arc", "Brunnen", "Cour", "Dom"])
        #expect(list.changeCount == 2)
    }

    @Test func `for await updates the screen when the query's rows change`() async throws {
        let query = try database.createQuery("SELECT META().id, name FROM hotels ORDER BY name")
        var heard: [Int] = []
        for try await change in query.changes() {
            heard.append(change.results?.allResults().count ?? -1)
            if heard.count == 2 { break }
            try hotels.purge(id: "a")
        }
        #expect(heard == [3, 2])
        var streamed: [String] = []
        for try await row in query.stream() { streamed.append(row.string(forKey: "name") ?? "?") }
        #expect(streamed == ["Brunnen", "Cour"])
    }

    @Test func `indexes are created from code and from SQL++ expressions`() async throws {
        try hotels.createIndex(withName: "prices", config: ValueIndexConfiguration(["price"]))
        try hotels.createIndex(withName: "tagged", config: ArrayIndexConfiguration(path: "tags"))
        let words = FullTextIndexConfiguration(["name"], ignoreAccents: true, language: "fr")
        try hotels.createIndex(withName: "words", config: words)
        #expect(try hotels.indexes() == ["prices", "tagged", "words"])
        let cheap = try database.createQuery("SELECT name FROM hotels WHERE price < 70")
        #expect(try cheap.explain().contains("USING INDEX"))
        let found = try database.createQuery("SELECT name FROM hotels WHERE MATCH(words, 'cour')")
        #expect(try found.execute().allResults().count == 1)
        try hotels.deleteIndex(forName: "prices")
        #expect(try hotels.index(withName: "prices") == nil)
    }

    @Test func `an invalid query throws a database error`() async throws {
        do {
            _ = try database.createQuery("SELECT name FROM hotels WHERE LENTGH(name) > 1")
            Issue.record("taken")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain && error.code == CBLError.invalidQuery)
            #expect(error.localizedDescription.contains("did you mean LENGTH?"))
        }
    }
}
