import CouchbaseLiteSwift
import Foundation
import XCTest

/// Result sets, parameters and live queries as used by applications in Swift 5 mode.
class QueryResultTests: XCTestCase {
    struct Hotel: Codable {
        var name: String
        var city: String
        var price: Double
        var vacancy: Bool?
    }

    /// A list as in a view controller: a class without any isolation.
    class HotelList {
        let query: Query
        var names: [String?] = []
        var token: ListenerToken?
        var onChange: () -> Void = {}

        init(_ query: Query) {
            self.query = query
        }

        func start(_ queue: DispatchQueue) {
            token = query.addChangeListener(withQueue: queue) { change in
                if let error = change.error {
                    XCTFail("\(error)")
                    return
                }
                self.names = change.results?.allResults().map { $0.string(forKey: "name") } ?? []
                self.onChange()
            }
        }

        func stop() {
            token?.remove()
            token = nil
        }
    }

    var travel: Travel!

    override func setUpWithError() throws {
        travel = try Travel()
    }

    func testTypedGetters() throws {
        let query = try travel.database.createQuery(
            """
            SELECT name, price, vacancy, opened, public_likes, reviews[0] AS review, email, nothing
            FROM inventory.hotel WHERE META().id = 'h1'
            """
        )
        let results = try query.execute()
        let row = results.next()!
        XCTAssertNil(results.next())
        XCTAssertEqual(row.count, 8)
        XCTAssertEqual(row.string(forKey: "name"), row.string(at: 0))
        XCTAssertEqual(row.int(forKey: "price"), 120)
        XCTAssertEqual(row.int64(at: 1), 120)
        XCTAssertEqual(row.float(at: 1), 120)
        XCTAssertEqual(row.double(forKey: "price"), 120)
        XCTAssertEqual(row.number(forKey: "price"), 120)
        XCTAssertTrue(row.boolean(forKey: "vacancy"))
        XCTAssertEqual(row.date(forKey: "opened"), Date(timeIntervalSince1970: 990_093_600))
        XCTAssertEqual(row.array(forKey: "public_likes")?.string(at: 1), "Bo")
        XCTAssertEqual(row.dictionary(forKey: "review")?.int(forKey: "rating"), 5)
        XCTAssertEqual(row["review"]["rating"].int, 5)
        XCTAssertEqual(row[0].string, "Alpenblick")
        XCTAssertNil(row.value(forKey: "email"))
        XCTAssertFalse(row.contains(key: "nothing"))
        XCTAssertEqual(row.toDictionary()["name"] as? String, "Alpenblick")
        XCTAssertEqual(row.toArray().count, 8)
        XCTAssertEqual(Array(row), row.keys)
    }

    func testJSONAndCodable() throws {
        let query = try travel.database.createQuery(
            "SELECT name, city, price, vacancy FROM inventory.hotel ORDER BY name"
        )
        for result in try query.execute() {
            let json = Data(result.toJSON().utf8)
            let hotel = try JSONDecoder().decode(Hotel.self, from: json)
            XCTAssertEqual(hotel.name, result.string(forKey: "name"))
        }
        let hotels = try query.execute().data(as: Hotel.self)
        XCTAssertEqual(hotels.map(\.city), ["Bern", "Bern", "Paris", "Lyon"])
        XCTAssertEqual(hotels.map(\.vacancy), [true, false, true, nil])
        let all = try travel.database.createQuery("SELECT * FROM inventory.hotel WHERE price < 70")
        let found = try all.execute().data(as: Hotel.self, dataKey: "hotel")
        XCTAssertEqual(found.map(\.name), ["arc"])
        let one = try XCTUnwrap(try query.execute().next()?.data(as: Hotel.self))
        XCTAssertEqual(one.price, 120)
    }

    func testLiveQuery() throws {
        let list = HotelList(
            try travel.database.createQuery(
                "SELECT name FROM inventory.hotel WHERE city = $city ORDER BY name"
            )
        )
        list.query.parameters = Parameters().setString("Bern", forName: "city")
        let queue = DispatchQueue(label: "screen")
        var expected: [String] = []
        var heard = expectation(description: "rows")
        heard.assertForOverFulfill = false
        list.onChange = { if list.names == expected { heard.fulfill() } }

        func wait(for names: [String], after change: () throws -> Void) rethrows {
            queue.sync {
                expected = names
                heard = expectation(description: "\(names)")
                heard.assertForOverFulfill = false
            }
            try change()
            self.wait(for: [heard], timeout: 30)
        }
        heard.fulfill()
        self.wait(for: [heard], timeout: 1)
        wait(for: ["Alpenblick", "Brunnen"]) { list.start(queue) }
        try wait(for: ["Alpenblick", "Brunnen", "Zytglogge"]) {
            let data = ["name": "Zytglogge", "city": "Bern"]
            try travel.hotels.save(document: MutableDocument(id: "h9", data: data))
        }
        wait(for: ["Café Ünder"]) {
            list.query.parameters = Parameters().setString("Paris", forName: "city")
        }
        list.stop()
    }
}
