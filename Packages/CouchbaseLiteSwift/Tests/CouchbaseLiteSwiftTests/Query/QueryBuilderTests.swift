import CouchbaseLiteSwift
import Foundation
import Testing

/// `sqlpp.md` §11: every clause, and the SQL++ of each expression.
@Suite struct QueryBuilderTests {
    let shop: Chairs
    let name = Expression.property("name")
    let price = Expression.property("price")

    init() throws { shop = try Chairs() }

    private func select(_ expression: any ExpressionProtocol) -> From {
        QueryBuilder.select(SelectResult.expression(expression))
            .from(DataSource.collection(shop.chairs))
    }

    /// The SQL++ of an expression.
    private func sql(_ expression: any ExpressionProtocol) -> String {
        String(
            select(expression).description.dropFirst("SELECT ".count)
                .dropLast(" FROM shop.chairs".count)
        )
    }

    @Test func `the query builder supports every clause`() throws {
        let query =
            QueryBuilder
            .select(
                SelectResult.property("seats"),
                SelectResult.expression(Function.count(Expression.all())).as("n")
            )
            .from(DataSource.collection(shop.chairs))
            .where(name.isValued())
            .groupBy(Expression.property("seats"))
            .having(Function.count().greaterThan(Expression.int(1)))
            .orderBy(Ordering.property("seats").descending())
            .limit(Expression.int(5), offset: Expression.int(0))
        #expect(
            query.description
                == "SELECT seats, COUNT(*) AS n FROM shop.chairs WHERE name IS VALUED GROUP BY seats"
                + " HAVING COUNT(*) > 1 ORDER BY seats DESC LIMIT 5 OFFSET 0"
        )
        let row = try #require(try query.execute().next())
        #expect(row.int(forKey: "seats") == 1 && row.int(forKey: "n") == 3)
    }

    @Test func `joined sources are referenced by their aliases`() throws {
        let query =
            QueryBuilder
            .select(
                SelectResult.expression(name.from("c")),
                SelectResult.expression(name.from("m")).as("maker")
            )
            .from(DataSource.collection(shop.chairs).as("c"))
            .join(
                Join.join(DataSource.collection(shop.makers).as("m"))
                    .on(Meta.id.from("m").equalTo(Expression.property("maker").from("c")))
            )
            .where(price.from("c").lessThan(Expression.parameter("most")))
            .orderBy(Ordering.expression(name.from("c")))
        query.parameters = Parameters().setInt(130, forName: "most")
        let rows = try query.execute().map { $0.toArray() as? [String] }
        #expect(rows == [["Oslo", "Nordic Joinery"], ["Turin", "Sedia & Co"]])
    }

    @Test func `selecting no columns returns the whole body`() throws {
        let query = QueryBuilder.select().from(DataSource.collection(shop.makers))
        #expect(try query.execute().next()?.keys == ["makers"])
        let all = QueryBuilder.selectDistinct(SelectResult.all().from("m"))
            .from(DataSource.collection(shop.makers).as("m"))
        #expect(try all.execute().next()?.dictionary(forKey: "m")?.count == 1)
    }

    @Test func `the builder's operators are those of SQL++`() {
        let two = Expression.int(2)
        #expect(sql(price.add(two).multiply(two)) == "(price + 2) * 2")
        #expect(sql(price.subtract(two).divide(two).modulo(two)) == "(price - 2) / 2 % 2")
        #expect(
            sql(price.equalTo(two).and(price.notEqualTo(two)).or(name.is(two)))
                == "price = 2 AND price != 2 OR name IS 2"
        )
        #expect(sql(Expression.not(price.between(two, and: two))) == "NOT (price BETWEEN 2 AND 2)")
        #expect(sql(price.in([two, Expression.string("x")])) == "price IN (2, 'x')")
        #expect(sql(name.like(Expression.string("a%"))) == "name LIKE 'a%'")
        #expect(sql(name.regex(Expression.string("^a"))) == "REGEXP_LIKE(name, '^a')")
        #expect(sql(name.isNotValued()) == "NOT (name IS VALUED)")
        #expect(sql(Expression.negated(price)) == "NOT price")
        #expect(sql(Expression.value([1, ["k": true], nil] as [Any?])) == "[1, {'k': TRUE}, NULL]")
        #expect(sql(Expression.property("a\\.b.c[0]")) == "`a.b`.c[0]")
        #expect(
            sql(name.collate(Collation.unicode().ignoreCase(true).locale("se")))
                == "name COLLATE (UNICODE:se NOCASE DIAC)"
        )
    }

    @Test func `the builder's functions are those of SQL++`() {
        #expect(sql(Function.power(base: price, exponent: Expression.int(2))) == "POWER(price, 2)")
        #expect(sql(Function.round(price, digits: 1)) == "ROUND(price, 1)")
        let digits: any ExpressionProtocol = Expression.parameter("digits")
        #expect(sql(Function.round(price, digits: digits)) == "ROUND(price, $digits)")
        #expect(sql(Function.trunc(price, digits: Expression.int(1))) == "TRUNC(price, 1)")
        #expect(
            sql(Function.contains(name, substring: Expression.string("o"))) == "CONTAINS(name, 'o')"
        )
        #expect(sql(Function.stringToMillis(name)) == "STR_TO_MILLIS(name)")
        #expect(sql(ArrayFunction.length(Expression.property("tags"))) == "ARRAY_LENGTH(tags)")
    }

    @Test func `ANY and EVERY test the items of an array`() throws {
        let tag = ArrayExpression.variable("t")
        let query = select(name).where(
            ArrayExpression.any(tag).in(Expression.property("tags"))
                .satisfies(tag.equalTo(Expression.string("light")))
        )
        #expect(try shop.texts(query) == ["Oslo"])
    }

    @Test func `a chain of two thousand conditions runs`() throws {
        var condition: any ExpressionProtocol = name.equalTo(Expression.string("none"))
        for number in 0..<2_000 {
            condition = condition.or(price.equalTo(Expression.int(number * 1_000)))
        }
        condition = condition.or(name.equalTo(Expression.string("Bern")))
        #expect(try shop.texts(select(name).where(condition)) == ["Bern"])
    }
}
