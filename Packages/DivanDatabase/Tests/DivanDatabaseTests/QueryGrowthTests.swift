import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Time grows no faster than n log n with what is read and returned, for every function, operator and clause.
///
/// These cost more, and are stopped in time (`QueryStopTests`): joins without an index, items of items, a property
/// of a document that is read for each of its items, `LIKE` patterns with `_`, words that are `NEAR` many others, and
/// regular expressions. With `DIVAN_GROWTH=print`, the times of all queries are printed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct QueryGrowthTests {
    private static let factor = 8
    /// Eight times the size takes eight times as long, and sorting and caches add to that; quadratic work takes 64.
    private static let limit = 24.0
    /// Shorter runs say nothing.
    private static let leastMilliseconds = 10.0
    /// For what grows faster, but only to a limited size.
    private static let mostMilliseconds = 200.0
    private static let roundCount = 6
    private static let isPrinting = ProcessInfo.processInfo.environment["DIVAN_GROWTH"] == "print"

    @Test(arguments: QueryFunction.allCases)
    func `the run time of a function grows in proportion to its arguments`(
        _ function: QueryFunction
    ) throws {
        let rooms = StoreFixtures()
        for shape in GrowthShape.calls(of: function) { try Self.check(shape, in: rooms) }
    }

    @Test func `the run time of an operator grows in proportion to its operands`() throws {
        let rooms = StoreFixtures()
        for shape in GrowthShape.operators { try Self.check(shape, in: rooms) }
    }

    @Test(arguments: GrowthShape.clauses + GrowthShape.items)
    func `the run time of a clause grows in proportion to the documents`(
        _ shape: GrowthShape
    ) throws {
        try Self.check(shape, in: StoreFixtures(of: shape))
    }

    @Test(arguments: GrowthShape.indexed)
    func `the run time of a query with an index grows in proportion to the documents`(
        _ shapes: [GrowthShape]
    ) throws {
        let rooms = StoreFixtures(of: try #require(shapes.first))
        for shape in shapes { try Self.check(shape, in: rooms) }
    }

    @Test(arguments: GrowthShape.texts)
    func `the compile time of a query grows in proportion to its length`(
        _ shape: GrowthShape
    ) throws {
        try Self.check(shape, in: StoreFixtures(["{\"n\":1}"]))
    }

    @Test(arguments: GrowthShape.expressions)
    func `the largest regular expression compiles within 200 ms`(_ shape: GrowthShape) throws {
        let rooms = StoreFixtures()
        if Self.isPrinting { print(try Self.row(of: shape, in: rooms)) }
        // Different from those in the row, which the connection keeps.
        let time = try Self.time(shape, Self.factor, in: StoreFixtures())
        #expect(time < Self.mostMilliseconds, "\(shape.name): \(time) ms")
    }

    // MARK: Measuring

    /// Processor time of this thread, so that a busy machine changes little; what seems to grow is measured again.
    private static func check(_ shape: GrowthShape, in rooms: StoreFixtures) throws {
        if isPrinting { print(try row(of: shape, in: rooms)) }
        for _ in 0..<roundCount {
            let large = try time(shape, factor, in: rooms)
            guard large > leastMilliseconds else { return }
            let small = try (0..<4).map { _ in try time(shape, 1, in: rooms) }.max() ?? 0
            guard large > limit * small else { return }
        }
        Issue.record("\(try row(of: shape, in: rooms))")
    }

    /// Milliseconds for one, two, four and eight times the size, and the exponent with which they grow.
    private static func row(of shape: GrowthShape, in rooms: StoreFixtures) throws -> String {
        _ = try time(shape, 1, in: rooms)
        let times = try [1, 2, 4, factor].map { try time(shape, $0, in: rooms) }
        let exponent = log2(max(times[3], 0.001) / max(times[0], 0.001)) / log2(Double(factor))
        let cells = times.map { String(format: "%9.2f ms", $0) }.joined(separator: " |")
        return "growth |\(cells) | n^\(String(format: "%.2f", exponent)) | from \(shape.count): "
            + shape.name
    }

    /// Milliseconds for a query of a multiple of the size; one that is refused counts, too.
    private static func time(
        _ shape: GrowthShape,
        _ multiple: Int,
        in rooms: StoreFixtures
    ) throws -> Double {
        let count = shape.count * multiple
        let (sql, parameters) = (shape.sql(count), shape.parameters(count))
        let room = try rooms[multiple]
        let time = try processorTime {
            do {
                _ = try room.count(sql, parameters)
            } catch is QueryError {}
        }
        return time / .milliseconds(1)
    }

    /// The databases of a shape, one for each multiple of its size if it has documents.
    private final class StoreFixtures {
        private let documents: (_ multiple: Int) -> [String]
        private let index: QueryIndexDefinition?
        private let isOne: Bool
        private var made: [Int: StoreFixture] = [:]

        /// One database for all sizes.
        init(_ documents: [String] = ["{}"]) {
            self.documents = { _ in documents }
            (index, isOne) = (nil, true)
        }

        init(of shape: GrowthShape) {
            documents = { shape.documents?(shape.count * $0) ?? ["{}"] }
            (index, isOne) = (shape.index, shape.documents == nil)
        }

        subscript(multiple: Int) -> StoreFixture {
            get throws {
                let key = isOne ? 1 : multiple
                if let room = made[key] { return room }
                let room = try StoreFixture(.file)
                try room.store.write { writer in
                    for (number, body) in documents(key).enumerated() {
                        let id = DocumentID(unchecked: "d\(number)")
                        _ = try writer.save(id, in: .default, body: Array(body.utf8))
                    }
                    if let index { try writer.createIndex("i", index, in: .default) }
                }
                made[key] = room
                return room
            }
        }
    }
}

extension StoreFixture {
    /// How many rows a query has.
    func count(
        _ sql: String,
        _ parameters: [ExactText: QueryValue] = [:],
        _ control: QueryControl = QueryControl()
    ) throws -> Int {
        let catalogue = StoreCatalogue(store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let used = parameters.filter { statement.parameters.contains($0.key) }
        let query = StorageQuery(statement, parameters: used, control: control)
        let rows = try store.rows(of: query)
        defer { rows.end() }
        var count = 0
        while try rows.next() != nil { count += 1 }
        return count
    }
}
