import DivanQuery
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// The order in which rows of parts of a collection are combined.
@Suite struct QueryValueOrderTests {
    /// Numbers in order, including those that cannot be an integer or a double.
    private static let numbers: [QueryValue] = [
        .double(.nan), .double(-.infinity), .double(-1e300), .double(-0x1p63 * 1.5),
        .integer(.min), .integer(.min + 1), .integer(-1), .double(-0.5), .boolean(false),
        .double(.leastNonzeroMagnitude), .boolean(true), .double(1.5),
        .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .integer(.max),
        .double(0x1p63), .double(1e300), .double(.infinity),
    ]

    @Test
    func `integers and doubles have one order, even for values that only one of them can hold`() {
        for (left, low) in Self.numbers.enumerated() {
            for (right, high) in Self.numbers.enumerated() {
                let order = QueryValueOrder.compare(low, high).signum()
                #expect(order == (left - right).signum(), "\(low) and \(high)")
            }
        }
        #expect(QueryValueOrder.compare(.integer(.min), .double(-0x1p63)) == 0)
        #expect(QueryValueOrder.compare(.integer(0), .double(-0.0)) == 0)
    }

    @Test func `types of values sort in the order of the language`() {
        let values: [QueryValue] = [
            .missing, .integer(7), .string(""), .string("é"), .string("\u{1F6CB}"), .null,
            .binary(Array("~".utf8)), .container(Array("[]".utf8)),
        ]
        for (left, low) in values.enumerated() {
            for (right, high) in values.enumerated() {
                let order = QueryValueOrder.compare(low, high).signum()
                #expect(order == (left - right).signum(), "\(low) and \(high)")
            }
        }
    }
}
