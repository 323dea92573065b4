import CouchbaseLiteSwift
import Foundation
import XCTest

/// The same clauses with `QueryBuilder`, as applications write them in Swift 5 mode.
class BuilderClauseTests: XCTestCase {
    var travel: Travel!
    var database: Database { travel.database }
    var hotels: Collection { travel.hotels }

    override func setUpWithError() throws {
        travel = try Travel()
    }

    private func ids(where condition: ExpressionProtocol) throws -> [String] {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(hotels))
            .where(condition)
            .orderBy(Ordering.expression(Meta.id))
        return try travel.column(query)
    }

    func testSelect() throws {
        let query =
            QueryBuilder
            .select(
                SelectResult.expression(Meta.id),
                SelectResult.property("name"),
                SelectResult.property("price").as("cost"),
                SelectResult.expression(Function.upper(Expression.property("city"))).as("CITY")
            )
            .from(DataSource.collection(hotels))
            .where(Expression.property("name").equalTo(Expression.string("Brunnen")))
        for result in try query.execute() {
            XCTAssertEqual(result.string(forKey: "id"), "h2")
            XCTAssertEqual(result.string(forKey: "name"), "Brunnen")
            XCTAssertEqual(result.double(forKey: "cost"), 80.5)
            XCTAssertEqual(result.string(at: 3), "BERN")
        }
        let all = QueryBuilder.select(SelectResult.all()).from(DataSource.collection(hotels))
        let names = try all.execute().map { $0.dictionary(forKey: "hotel")?.string(forKey: "name") }
        XCTAssertEqual(names.count, 4)
        XCTAssertEqual(names.first, "Alpenblick")
        let distinct = QueryBuilder.selectDistinct(SelectResult.property("country"))
            .from(DataSource.collection(hotels)).orderBy(Ordering.property("country"))
        XCTAssertEqual(try travel.column(distinct), ["France", "Switzerland"])
    }

    func testJoin() throws {
        let hotel = DataSource.collection(hotels).as("hotel")
        let airport = DataSource.collection(travel.airports).as("airport")
        let sameCity = Expression.property("city").from("hotel")
            .equalTo(Expression.property("city").from("airport"))
        let query =
            QueryBuilder
            .select(
                SelectResult.expression(Expression.property("name").from("hotel")),
                SelectResult.expression(Expression.property("code").from("airport"))
            )
            .from(hotel)
            .join(Join.leftJoin(airport).on(sameCity))
            .where(
                Expression.property("country").from("hotel").equalTo(Expression.string("France"))
            )
            .orderBy(Ordering.expression(Meta.id.from("hotel")))
        let rows = try query.execute().allResults()
        XCTAssertEqual(rows.map { $0.string(forKey: "name") }, ["Café Ünder", "arc"])
        XCTAssertEqual(rows.map { $0.string(forKey: "code") }, ["CDG", nil])
    }

    func testWhere() throws {
        let price = Expression.property("price")
        let city = Expression.property("city")
        XCTAssertEqual(
            try ids(where: price.between(Expression.int(70), and: Expression.int(130))),
            ["h1", "h2"]
        )
        let towns = ["Paris", "Lyon"].map { Expression.string($0) }
        XCTAssertEqual(try ids(where: city.in(towns)), ["h3", "h4"])
        let name = Expression.property("name")
        XCTAssertEqual(try ids(where: name.like(Expression.string("%rc"))), ["h4"])
        XCTAssertEqual(try ids(where: name.regex(Expression.string("^B.*n$"))), ["h2"])
        XCTAssertEqual(
            try ids(
                where: Function.lower(name).equalTo(Expression.string("arc"))
                    .or(price.greaterThan(Expression.double(200.0)))
            ),
            ["h3", "h4"]
        )
        XCTAssertEqual(try ids(where: Expression.property("vacancy").isNotValued()), ["h4"])
        XCTAssertEqual(
            try ids(where: Expression.not(Expression.property("vacancy").isValued())),
            ["h4"]
        )
        XCTAssertEqual(
            try ids(
                where: name.collate(Collation.unicode().ignoreAccents(true).ignoreCase(true))
                    .equalTo(Expression.string("cafe under"))
            ),
            ["h3"]
        )
    }

    func testArrayOperators() throws {
        XCTAssertEqual(
            try ids(
                where: ArrayFunction.contains(
                    Expression.property("public_likes"),
                    value: Expression.string("Ada")
                )
            ),
            ["h1", "h3"]
        )
        let review = ArrayExpression.variable("review")
        let rating = ArrayExpression.variable("review.rating")
        XCTAssertEqual(
            try ids(
                where: ArrayExpression.any(review).in(Expression.property("reviews"))
                    .satisfies(rating.greaterThan(Expression.int(4)))
            ),
            ["h1"]
        )
        XCTAssertEqual(
            try ids(
                where: ArrayExpression.anyAndEvery(review).in(Expression.property("reviews"))
                    .satisfies(rating.lessThan(Expression.int(3)))
            ),
            ["h2"]
        )
        XCTAssertEqual(
            try ids(
                where: ArrayFunction.length(Expression.property("public_likes"))
                    .equalTo(Expression.int(3))
            ),
            ["h4"]
        )
    }

    func testGroupByAndHaving() throws {
        let country = Expression.property("country")
        let query =
            QueryBuilder
            .select(
                SelectResult.expression(Function.count(Expression.all())),
                SelectResult.property("country"),
                SelectResult.expression(Function.max(Expression.property("price"))).as("most")
            )
            .from(DataSource.collection(hotels))
            .where(Expression.property("price").greaterThan(Expression.int(70)))
            .groupBy(country)
            .having(Function.count(Expression.all()).greaterThan(Expression.int(1)))
            .orderBy(Ordering.expression(country).descending())
        let rows = try query.execute().allResults()
        XCTAssertEqual(rows.map { $0.int(forKey: "$1") }, [2])
        XCTAssertEqual(rows.map { $0.string(forKey: "country") }, ["Switzerland"])
        XCTAssertEqual(rows.map { $0.int(forKey: "most") }, [120])
    }

    func testOrderByAndLimit() throws {
        let ordered =
            QueryBuilder
            .select(SelectResult.property("name"))
            .from(DataSource.collection(hotels))
            .orderBy(
                Ordering.property("country").ascending(),
                Ordering.property("price").descending()
            )
        XCTAssertEqual(
            try travel.column(ordered),
            ["Café Ünder", "arc", "Alpenblick", "Brunnen"]
        )
        XCTAssertEqual(
            try travel.column(ordered.limit(Expression.int(2), offset: Expression.int(1))),
            ["arc", "Alpenblick"]
        )
        let page = ordered.limit(Expression.parameter("count"))
        page.parameters = Parameters().setInt(1, forName: "count")
        XCTAssertEqual(try travel.column(page), ["Café Ünder"])
    }

    func testFunctions() throws {
        func value(_ expression: ExpressionProtocol) throws -> String? {
            try travel.column(
                QueryBuilder.select(SelectResult.expression(expression))
                    .from(DataSource.collection(hotels)).limit(Expression.int(1))
            ).first
        }
        let price = Expression.property("price")
        let name = Expression.property("name")
        XCTAssertEqual(
            try value(Function.round(price.divide(Expression.double(7)), digits: 1)),
            "17.1"
        )
        XCTAssertEqual(try value(Function.length(name)), "10")
        XCTAssertEqual(try value(Function.trim(Expression.string("  a "))), "a")
        XCTAssertEqual(
            try value(Function.stringToMillis(Expression.property("opened"))),
            "990093600000"
        )
        let part = Expression.string("pen")
        XCTAssertEqual(try value(Function.contains(name, substring: part)), "1")
        XCTAssertEqual(try value(price.modulo(Expression.int(50)).add(Expression.int(1))), "21")
    }

    func testFullText() throws {
        let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("description"))
            .ignoreAccents(false).language("en")
        try hotels.createIndex(index, name: "descriptions")
        let descriptions = Expression.fullTextIndex("descriptions")
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(hotels))
            .where(FullTextFunction.match(descriptions, query: "'room'"))
            .orderBy(
                Ordering.expression(FullTextFunction.rank(descriptions)).descending(),
                Ordering.expression(Meta.id)
            )
        XCTAssertEqual(try travel.column(query), ["h1", "h3"])
    }

    func testIndexes() throws {
        let index = IndexBuilder.valueIndex(
            items: ValueIndexItem.property("country"),
            ValueIndexItem.expression(Function.lower(Expression.property("name")))
        )
        try hotels.createIndex(index, name: "places")
        XCTAssertEqual(try hotels.indexes(), ["places"])
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(hotels))
            .where(
                Expression.property("country").equalTo(Expression.string("France"))
                    .and(
                        Function.lower(Expression.property("name"))
                            .equalTo(Expression.string("arc"))
                    )
            )
        XCTAssertTrue(try query.explain().contains("USING INDEX"))
        XCTAssertEqual(try travel.column(query), ["h4"])
    }
}
