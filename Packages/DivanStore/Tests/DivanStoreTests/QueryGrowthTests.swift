import CDivanStoreFaults
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStore
import Foundation
import Testing

/// Time grows no faster than n log n with what is read and returned, for every function, operator and clause.
///
/// These cost more, and are stopped in time (`QueryStopTests`): joins without an index, items of items, a property
/// of a document that is read for each of its items, `LIKE` patterns with `_`, and regular expressions.
@Suite(.serialized, .timeLimit(.minutes(5))) struct QueryGrowthTests {
    private static let factor = 8
    /// Eight times the size takes eight times as long, and sorting and caches add to that; quadratic work takes 64.
    private static let limit = 24.0
    /// Shorter runs say nothing.
    private static let leastMilliseconds = 10.0
    private static let roundCount = 6

    @Test(arguments: QueryFunction.allCases)
    func `the run time of a function grows in proportion to its arguments`(
        _ function: QueryFunction
    ) throws {
        let room = try Self.room(["{}"])
        for shape in GrowthShape.calls(of: function) { try Self.check(shape, in: room, room) }
    }

    @Test func `the run time of an operator grows in proportion to its operands`() throws {
        let room = try Self.room(["{}"])
        for shape in GrowthShape.operators { try Self.check(shape, in: room, room) }
    }

    @Test(arguments: GrowthShape.clauses + GrowthShape.items)
    func `the run time of a clause grows in proportion to the documents`(
        _ shape: GrowthShape
    ) throws {
        let documents = try #require(shape.documents)
        let small = try Self.room(documents(shape.count))
        let large = try Self.room(documents(shape.count * Self.factor))
        try Self.check(shape, in: small, large)
    }

    @Test(arguments: GrowthShape.texts)
    func `the compile time of a query grows in proportion to its length`(
        _ shape: GrowthShape
    ) throws {
        let room = try Self.room([#"{"n":1}"#])
        try Self.check(shape, in: room, room)
    }

    // MARK: Measuring

    /// Processor time of this thread, so that a busy machine changes little; what seems to grow is measured again.
    private static func check(
        _ shape: GrowthShape,
        in small: StoreFixture,
        _ large: StoreFixture
    ) throws {
        let (count, more) = (shape.count, shape.count * factor)
        let (sql, longer) = (shape.sql(count), shape.sql(more))
        let (parameters, larger) = (shape.parameters(count), shape.parameters(more))
        var measured: (Double, Double) = (0, 0)
        for _ in 0..<roundCount {
            measured.1 = try time(longer, larger, in: large)
            guard measured.1 > leastMilliseconds else { return }
            measured.0 = try (0..<4).map { _ in try time(sql, parameters, in: small) }.max() ?? 0
            guard measured.1 > limit * measured.0 else { return }
        }
        let times = try [1, 2, 4, 8].map { times in
            let room = times < factor ? small : large
            return try time(shape.sql(count * times), shape.parameters(count * times), in: room)
        }
        Issue.record("\(shape.name): ms for 1, 2, 4 and 8 times \(count): \(times); \(measured)")
    }

    /// Milliseconds for a query; one that is refused counts, too.
    private static func time(
        _ sql: String,
        _ parameters: [ExactText: QueryValue],
        in room: StoreFixture
    ) throws -> Double {
        let start = now()
        do {
            _ = try room.count(sql, parameters)
        } catch is QueryError {}
        return now() - start
    }

    private static func now() -> Double { divan_thread_milliseconds() }

    private static func room(_ documents: [String]) throws -> StoreFixture {
        let room = try StoreFixture(.file)
        try room.store.write { writer in
            for (number, body) in documents.enumerated() {
                let id = DocumentID(unchecked: "d\(number)")
                _ = try writer.save(id, in: .default, body: Array(body.utf8))
            }
        }
        return room
    }
}

extension StoreFixture {
    /// How many rows a query has.
    func count(
        _ sql: String,
        _ parameters: [ExactText: QueryValue] = [:],
        _ watch: QueryWatch = QueryWatch()
    ) throws -> Int {
        let catalogue = StoreCatalogue(store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let used = parameters.filter { statement.parameters.contains($0.key) }
        let query = StorageQuery(statement, parameters: used, watch: watch)
        let rows = try store.rows(of: query)
        defer { rows.end() }
        var count = 0
        while try rows.next() != nil { count += 1 }
        return count
    }
}
