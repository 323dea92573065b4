import CouchbaseLiteSwift
import Foundation

/// The data for the sample queries: hotels, landmarks and routes, in a database of their own.
class Travel {
    let home: DatabasePair
    let hotels: Collection
    let airports: Collection
    let routes: Collection

    var database: Database { home.database }

    init() throws {
        home = try DatabasePair()
        hotels = try home.database.createCollection(name: "hotel", scope: "inventory")
        airports = try home.database.createCollection(name: "airport", scope: "inventory")
        routes = try home.database.createCollection(name: "route", scope: "inventory")
        try addHotels()
        try add(airports, "a1", ["code": "BRN", "city": "Bern", "geo": ["alt": 510]])
        try add(airports, "a2", ["code": "CDG", "city": "Paris", "geo": ["alt": 119]])
        try add(
            routes,
            "r1",
            [
                "from": "BRN", "to": "CDG", "stops": 0,
                "schedule": [["day": 1, "flight": "SX1"], ["day": 3, "flight": "SX9"]],
            ]
        )
        try add(
            routes,
            "r2",
            [
                "from": "CDG", "to": "BRN", "stops": 1,
                "schedule": [["day": 1, "flight": "SX2"]],
            ]
        )
    }

    private func addHotels() throws {
        try add(
            hotels,
            "h1",
            [
                "name": "Alpenblick", "city": "Bern", "country": "Switzerland",
                "price": 120, "vacancy": true, "public_likes": ["Ada", "Bo"],
                "description": "Quiet rooms beside the river",
                "opened": "2001-05-17T10:00:00.000Z",
                "reviews": [["author": "Cy", "rating": 5], ["author": "Di", "rating": 3]],
            ]
        )
        try add(
            hotels,
            "h2",
            [
                "name": "Brunnen", "city": "Bern", "country": "Switzerland",
                "price": 80.5, "vacancy": false, "public_likes": [],
                "description": "A house with a noisy bar",
                "opened": "1988-01-02T00:00:00.000Z",
                "reviews": [["author": "Cy", "rating": 2]],
            ]
        )
        try add(
            hotels,
            "h3",
            [
                "name": "Café Ünder", "city": "Paris", "country": "France",
                "price": 240, "vacancy": true, "public_likes": ["Ada"],
                "description": "Rooms above the bakery, running water",
                "email": NSNull(),
            ]
        )
        try add(
            hotels,
            "h4",
            [
                "name": "arc", "city": "Lyon", "country": "France", "price": 60,
                "public_likes": ["Eve", "Flo", "Gus"],
            ]
        )
    }

    private func add(_ collection: Collection, _ id: String, _ data: [String: Any]) throws {
        try collection.save(document: MutableDocument(id: id, data: data))
    }

    /// The first column of every row, as text.
    func column(_ query: Query) throws -> [String] {
        try query.execute().map { row in row.value(at: 0).map { "\($0)" } ?? "nil" }
    }

    func column(_ sql: String) throws -> [String] {
        try column(database.createQuery(sql))
    }
}
