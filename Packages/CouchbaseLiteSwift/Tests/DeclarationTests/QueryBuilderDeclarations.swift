import CouchbaseLiteSwift
import Foundation
import Testing

/// `sqlpp.md` §11: the clauses.
@Suite struct QueryBuilderDeclarations {
    private let place: Place
    let database: Database
    let hotels: Collection
    let towns: Collection

    init() throws {
        place = try Place()
        database = try place.open()
        hotels = try database.createCollection(name: "hotels")
        towns = try database.createCollection(name: "towns", scope: "map")
        for (id, town, stars) in [("a", "t1", 3), ("b", "t1", 5), ("c", "t2", 4)] {
            let data: [String: Any] = ["town": town, "stars": stars, "tags": [stars, 1]]
            try hotels.save(document: MutableDocument(id: id, data: data))
        }
        try towns.save(document: MutableDocument(id: "t1", data: ["name": "Bern"]))
    }

    private func ids(_ query: Query) throws -> [String] {
        try query.execute().map { $0.string(at: 0) ?? "-" }
    }

    private var id: SelectResultAs { SelectResult.expression(Meta.id) }

    @Test func `every clause returns a query and allows the clauses that can follow it`() throws {
        let select: Select = QueryBuilder.select(id)
        let from: From = select.from(DataSource.collection(hotels))
        let stars = Expression.property("stars")
        let filter: Where = from.where(stars.greaterThan(Expression.int(3)))
        let ordered: OrderBy = filter.orderBy(Ordering.property("stars").descending())
        let limited: Limit = ordered.limit(Expression.int(1), offset: Expression.int(1))
        let queries: [Query] = [from, filter, ordered, limited]
        #expect(try queries.map(ids) == [["a", "b", "c"], ["b", "c"], ["b", "c"], ["c"]])
        #expect(try ids(from.limit(Expression.int(2))).count == 2)
        #expect(try ids(from.limit(Expression.int(2), offset: nil)).count == 2)
        #expect(try ids(from.orderBy([Ordering.expression(stars).ascending()])).first == "a")
        #expect(try ids(filter.limit(Expression.int(1))).count == 1)
        #expect(try ids(filter.orderBy(Ordering.expression(stars))) == ["c", "b"])
    }

    @Test func `GROUP BY can be followed by HAVING, ORDER BY and LIMIT`() throws {
        let town = Expression.property("town")
        let columns: [SelectResultProtocol] = [
            SelectResult.property("town"),
            SelectResult.expression(Function.count(Expression.all())).as("n"),
        ]
        let from = QueryBuilder.select(columns).from(DataSource.collection(hotels))
        let groups: GroupBy = from.groupBy(town)
        let having: Having = groups.having(Function.count().greaterThan(Expression.int(1)))
        #expect(try ids(groups).count == 2)
        #expect(try ids(having) == ["t1"])
        let queries: [Query] = [
            groups.orderBy(Ordering.property("town")), groups.limit(Expression.int(1)),
            groups.limit(Expression.int(1), offset: Expression.int(0)),
            having.orderBy(Ordering.property("town")), having.limit(Expression.int(1)),
            having.limit(Expression.int(1), offset: nil), from.groupBy([town]),
            from.where(Meta.id.notEqualTo(Expression.string("z"))).groupBy(town),
        ]
        #expect(try queries.map { try ids($0).count } == [2, 1, 1, 1, 1, 1, 2, 2])
    }

    @Test func `every type of join works`() throws {
        let hotel: DataSourceAs = DataSource.collection(hotels)
        let town = DataSource.collection(towns).as("t")
        let condition = Meta.id.from("t").equalTo(Expression.property("town").from("h"))
        let columns = [
            SelectResult.expression(Meta.id.from("h")),
            SelectResult.expression(Expression.property("name").from("t")),
        ]
        func query(_ join: JoinProtocol) -> Joins {
            QueryBuilder.select(columns).from(hotel.as("h")).join(join)
        }
        let inner = [Join.join(town).on(condition), Join.innerJoin(town).on(condition)]
        #expect(try inner.map { try ids(query($0)).sorted() } == [["a", "b"], ["a", "b"]])
        let left = [Join.leftJoin(town).on(condition), Join.leftOuterJoin(town).on(condition)]
        #expect(try left.map { try ids(query($0)).count } == [3, 3])
        let cross = query(Join.crossJoin(town))
        #expect(try ids(cross).count == 3)
        let ordering = Ordering.expression(Meta.id.from("h"))
        let queries: [Query] = [
            cross.where(condition), cross.orderBy(ordering), cross.limit(Expression.int(2)),
            cross.limit(Expression.int(2), offset: Expression.int(2)),
            QueryBuilder.select(columns).from(hotel.as("h")).join([Join.crossJoin(town)]),
        ]
        #expect(try queries.map { try ids($0).count } == [2, 3, 2, 1, 3])
    }

    @Test func `every kind of select result works`() throws {
        let all: SelectResultFrom = SelectResult.all()
        let source = DataSource.collection(hotels)
        let rows = [
            QueryBuilder.select(all).from(source), QueryBuilder.select().from(source),
            QueryBuilder.select([]).from(source),
        ]
        for query in rows { #expect(try query.execute().next()?.keys == ["hotels"]) }
        let aliased = QueryBuilder.select(SelectResult.all().from("h")).from(source.as("h"))
        #expect(try aliased.execute().next()?.dictionary(forKey: "h")?.count == 3)
        let tags = Expression.property("tags[1]")
        let distinct = [
            QueryBuilder.selectDistinct(SelectResult.expression(tags)).from(source),
            QueryBuilder.selectDistinct([SelectResult.expression(tags).as("x")]).from(source),
        ]
        #expect(try distinct.map { try $0.execute().allResults().count } == [1, 1])
        let named = SelectResult.property("stars").as("n")
        #expect(try QueryBuilder.select(named).from(source).execute().next()?.keys == ["n"])
    }

    @Test func `metadata can be selected`() throws {
        let columns = [Meta.id, Meta.revisionID, Meta.sequence, Meta.isDeleted, Meta.expiration]
        let query = QueryBuilder.select(columns.map { SelectResult.expression($0) })
            .from(DataSource.collection(hotels))
        let row = try #require(try query.execute().next())
        #expect(row.keys == ["id", "revisionID", "sequence", "deleted", "expiration"])
        #expect(row.string(at: 0) == "a" && row.int(at: 2) == 1 && !row.boolean(at: 3))
        #expect(row.string(at: 1) == (try hotels.document(id: "a")?.revisionID))
    }

    @Test func `the deprecated data source is the default collection`() throws {
        struct Asking: Older {
            let database: Database
            @available(*, deprecated) func run() throws {
                let query = QueryBuilder.select(SelectResult.all())
                    .from(DataSource.database(database))
                #expect(try query.execute().allResults().isEmpty)
                let aliased = QueryBuilder.select(SelectResult.all().from("d"))
                    .from(DataSource.database(database).as("d"))
                #expect(try aliased.execute().allResults().isEmpty)
            }
        }
        let asking: Older = Asking(database: database)
        try asking.run()
    }
}
