import CouchbaseLiteSwift
import Foundation
import XCTest

/// A program for each clause of SQL++, written as in applications: Swift 5 mode, query text in, dictionaries out.
class SQLClauseTests: XCTestCase {
    var travel: Travel!
    var database: Database { travel.database }

    override func setUpWithError() throws {
        travel = try Travel()
    }

    func testSelect() throws {
        let query = try database.createQuery("SELECT * FROM inventory.hotel LIMIT 1")
        for result in try query.execute() {
            let hotel = result.dictionary(forKey: "hotel")!
            XCTAssertEqual(hotel.string(forKey: "name"), "Alpenblick")
            XCTAssertEqual(hotel.array(forKey: "reviews")?.count, 2)
        }
        XCTAssertEqual(
            try travel.column("SELECT name AS title FROM inventory.hotel ORDER BY META().id"),
            ["Alpenblick", "Brunnen", "Café Ünder", "arc"]
        )
        XCTAssertEqual(
            try travel.column("SELECT DISTINCT country FROM inventory.hotel ORDER BY country"),
            ["France", "Switzerland"]
        )
        let everything = try database.createQuery(
            "SELECT META(h).id, h.*, h.name || '!' AS loud FROM inventory.hotel AS h LIMIT 1"
        )
        let row = try everything.execute().next()!
        XCTAssertEqual(row.keys, ["id", "h", "loud"])
        XCTAssertEqual(row.string(forKey: "loud"), "Alpenblick!")
    }

    func testFrom() throws {
        try database.defaultCollection().save(document: MutableDocument(id: "d", data: ["n": 1]))
        for source in ["_", "_default", "_default._default", "mydatabase"] {
            XCTAssertEqual(try travel.column("SELECT n FROM \(source)"), ["1"])
        }
        XCTAssertEqual(
            try travel.column("SELECT a.code FROM inventory.airport AS a ORDER BY a.code"),
            ["BRN", "CDG"]
        )
        XCTAssertEqual(
            try travel.column("SELECT airport.code FROM inventory.airport ORDER BY airport.code"),
            ["BRN", "CDG"]
        )
    }

    func testJoin() throws {
        XCTAssertEqual(
            try travel.column(
                """
                SELECT h.name FROM inventory.hotel AS h
                JOIN inventory.airport AS a ON h.city = a.city
                WHERE a.code = "BRN" ORDER BY h.name
                """
            ),
            ["Alpenblick", "Brunnen"]
        )
        let left = try database.createQuery(
            """
            SELECT h.name, a.code FROM inventory.hotel AS h
            LEFT OUTER JOIN inventory.airport AS a ON h.city = a.city ORDER BY META(h).id
            """
        )
        let codes = try left.execute().map { $0.string(forKey: "code") }
        XCTAssertEqual(codes, ["BRN", "BRN", "CDG", nil])
        XCTAssertEqual(
            try travel.column(
                "SELECT a.code || b.code FROM inventory.airport a CROSS JOIN inventory.airport b"
            ).count,
            4
        )
    }

    func testUnnest() throws {
        XCTAssertEqual(
            try travel.column(
                """
                SELECT s.flight FROM inventory.route AS r UNNEST r.schedule AS s
                WHERE s.day = 1 ORDER BY s.flight
                """
            ),
            ["SX1", "SX2"]
        )
    }

    func testWhere() throws {
        func names(_ condition: String) throws -> [String] {
            try travel.column(
                "SELECT META().id FROM inventory.hotel WHERE \(condition) ORDER BY META().id"
            )
        }
        XCTAssertEqual(try names("price BETWEEN 70 AND 130"), ["h1", "h2"])
        XCTAssertEqual(try names("city IN ('Paris', 'Lyon') AND NOT (price < 100)"), ["h3"])
        XCTAssertEqual(try names("name LIKE 'A%' OR name LIKE '_rc'"), ["h1", "h4"])
        XCTAssertEqual(try names("email IS NULL"), ["h3"])
        XCTAssertEqual(try names("email IS MISSING"), ["h1", "h2", "h4"])
        XCTAssertEqual(try names("vacancy IS NOT VALUED"), ["h4"])
        XCTAssertEqual(try names("vacancy = TRUE AND country != 'France'"), ["h1"])
        XCTAssertEqual(try names("REGEXP_LIKE(name, '^[A-Z]l')"), ["h1"])
        XCTAssertEqual(
            try names("ANY review IN reviews SATISFIES review.rating > 4 END"),
            ["h1"]
        )
        XCTAssertEqual(
            try names("ANY AND EVERY review IN reviews SATISFIES review.author = 'Cy' END"),
            ["h2"]
        )
        XCTAssertEqual(
            try names("EVERY name IN public_likes SATISFIES name LIKE 'A%' END"),
            ["h2", "h3"]
        )
        XCTAssertEqual(try names("ARRAY_CONTAINS(public_likes, 'Ada')"), ["h1", "h3"])
        XCTAssertEqual(try names("name = 'CAFE UNDER' COLLATE (UNICODE NOCASE NODIAC)"), ["h3"])
    }

    func testGroupByAndHaving() throws {
        let query = try database.createQuery(
            """
            SELECT country, COUNT(*) AS count, AVG(price) AS average, MIN(price) AS least,
                MAX(price) AS most, SUM(price) AS sum, ARRAY_AGG(city) AS cities
            FROM inventory.hotel GROUP BY country HAVING COUNT(*) > 1 ORDER BY country
            """
        )
        let rows = try query.execute().allResults()
        XCTAssertEqual(rows.map { $0.string(forKey: "country") }, ["France", "Switzerland"])
        XCTAssertEqual(rows.map { $0.int(forKey: "count") }, [2, 2])
        XCTAssertEqual(rows.map { $0.double(forKey: "average") }, [150, 100.25])
        XCTAssertEqual(rows.map { $0.double(forKey: "least") }, [60, 80.5])
        XCTAssertEqual(rows.map { $0.int(forKey: "most") }, [240, 120])
        XCTAssertEqual(rows.map { $0.double(forKey: "sum") }, [300, 200.5])
        XCTAssertEqual(rows[1].array(forKey: "cities")?.toArray() as? [String], ["Bern", "Bern"])
    }

    func testOrderByLimitAndOffset() throws {
        XCTAssertEqual(
            try travel.column("SELECT name FROM inventory.hotel ORDER BY price DESC, name ASC"),
            ["Café Ünder", "Alpenblick", "Brunnen", "arc"]
        )
        XCTAssertEqual(
            try travel.column(
                "SELECT name FROM inventory.hotel ORDER BY name COLLATE (UNICODE NOCASE)"
            ),
            ["Alpenblick", "arc", "Brunnen", "Café Ünder"]
        )
        XCTAssertEqual(
            try travel.column("SELECT name FROM inventory.hotel ORDER BY price LIMIT 2 OFFSET 1"),
            ["Brunnen", "Alpenblick"]
        )
    }

    func testFunctionsAndExpressions() throws {
        let cases: [(String, String)] = [
            ("UPPER(name)", "ALPENBLICK"), ("LENGTH(name)", "10"), ("price * 2 + 1", "241"),
            ("ROUND(price / 7.0, 2)", "17.14"), ("ARRAY_LENGTH(public_likes)", "2"),
            ("CASE WHEN price > 100 THEN 'dear' ELSE 'cheap' END", "dear"),
            ("IFMISSINGORNULL(email, 'none')", "none"), ("TYPE(reviews)", "array"),
            ("STR_TO_MILLIS(opened)", "990093600000"), ("reviews[0].author", "Cy"),
            ("MILLIS_TO_UTC(990093600000)", "2001-05-17T10:00:00Z"), ("TOSTRING(vacancy)", "true"),
            ("{'a': [1, price]}.a[1]", "120"), ("CONTAINS(description, 'river')", "1"),
        ]
        for (expression, value) in cases {
            XCTAssertEqual(
                try travel.column("SELECT \(expression) FROM inventory.hotel LIMIT 1"),
                [value],
                expression
            )
        }
    }

    func testMetadata() throws {
        let query = try database.createQuery(
            """
            SELECT META().id, META().sequence, META().revisionID, META().deleted,
                META().expiration FROM inventory.hotel WHERE META().id = 'h2'
            """
        )
        let row = try query.execute().next()!
        XCTAssertEqual(row.string(forKey: "id"), "h2")
        XCTAssertEqual(row.int(forKey: "sequence"), 2)
        XCTAssertEqual(
            row.string(forKey: "revisionID"),
            try travel.hotels.document(id: "h2")?.revisionID
        )
        XCTAssertFalse(row.boolean(forKey: "deleted"))
        XCTAssertFalse(row.contains(key: "expiration"))
        try travel.hotels.delete(document: try travel.hotels.document(id: "h4")!)
        XCTAssertEqual(
            try travel.column("SELECT META().id FROM inventory.hotel WHERE META().deleted = true"),
            ["h4"]
        )
    }

    func testParameters() throws {
        let query = try database.createQuery(
            "SELECT name FROM inventory.hotel WHERE country = $country AND price < $most ORDER BY name"
        )
        query.parameters = Parameters()
            .setString("France", forName: "country").setInt(100, forName: "most")
        XCTAssertEqual(try travel.column(query), ["arc"])
        let params = Parameters(parameters: query.parameters)
        params.setDouble(1000, forName: "most")
        query.parameters = params
        XCTAssertEqual(try travel.column(query), ["Café Ünder", "arc"])
    }

    func testFullText() throws {
        let config = FullTextIndexConfiguration(["description"], language: "en")
        try travel.hotels.createIndex(withName: "descriptions", config: config)
        XCTAssertEqual(
            try travel.column(
                """
                SELECT META(h).id FROM inventory.hotel AS h
                WHERE MATCH(h.descriptions, 'room*') ORDER BY RANK(h.descriptions) DESC, META(h).id
                """
            ),
            ["h1", "h3"]
        )
        XCTAssertEqual(
            try travel.column(
                """
                SELECT name FROM inventory.hotel WHERE MATCH(descriptions, 'quiet OR (noisy NEAR/5 bar)')
                AND price < 100
                """
            ),
            ["Brunnen"]
        )
    }

    func testIndexesAndExplain() throws {
        let hotels = travel.hotels
        try hotels.createIndex(
            withName: "prices",
            config: ValueIndexConfiguration(["price", "name"], where: "country = 'France'")
        )
        try travel.routes.createIndex(
            withName: "flights",
            config: ArrayIndexConfiguration(path: "schedule", expressions: ["flight", "day"])
        )
        let query = try database.createQuery(
            "SELECT name FROM inventory.hotel WHERE price > 100 AND country = 'France'"
        )
        XCTAssertTrue(try query.explain().contains("USING INDEX"))
        XCTAssertEqual(try travel.column(query), ["Café Ünder"])
        let flights = try database.createQuery(
            """
            SELECT s.day FROM inventory.route AS r UNNEST r.schedule AS s
            WHERE s.flight = 'SX9'
            """
        )
        XCTAssertTrue(try flights.explain().contains("USING INDEX"))
        XCTAssertEqual(try travel.column(flights), ["3"])
        XCTAssertEqual(try hotels.indexes(), ["prices"])
        try hotels.deleteIndex(forName: "prices")
        XCTAssertEqual(try hotels.indexes(), [])
        XCTAssertEqual(try travel.column(query), ["Café Ünder"])
    }

    func testErrors() {
        XCTAssertThrowsError(try database.createQuery("SELEC name FROM inventory.hotel")) { error in
            XCTAssertEqual((error as NSError).code, CBLError.invalidQuery)
            XCTAssertEqual((error as NSError).domain, CBLError.domain)
        }
        XCTAssertThrowsError(try database.createQuery("SELECT name FROM inventory.none"))
    }
}
