import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// A database with a few chairs and their makers.
struct Chairs {
    let home: TemporaryDatabase
    let chairs: CouchbaseLiteSwift.Collection
    let makers: CouchbaseLiteSwift.Collection

    var database: Database { home.database }

    init() throws {
        home = try TemporaryDatabase()
        chairs = try home.database.createCollection(name: "chairs", scope: "shop")
        makers = try home.database.createCollection(name: "makers", scope: "shop")
        try save(
            "c1",
            ["name": "Oslo", "maker": "m1", "price": 120, "seats": 1, "tags": ["wood", "light"]]
        )
        try save(
            "c2",
            ["name": "Bern", "maker": "m1", "price": 340.5, "seats": 1, "tags": ["leather"]]
        )
        try save("c3", ["name": "Turin", "maker": "m2", "price": 89, "seats": 1, "isCheap": true])
        try save("c4", ["name": "Porto", "maker": "m2", "price": NSNull(), "seats": 3])
        for (id, name) in [("m1", "Nordic Joinery"), ("m2", "Sedia & Co")] {
            try makers.save(document: MutableDocument(id: id, data: ["name": name]))
        }
    }

    /// The same without chairs, for tests that bring their own.
    static func sold() throws -> Chairs {
        let shop = try Chairs()
        for id in ["c1", "c2", "c3", "c4"] {
            try shop.chairs.delete(document: try #require(try shop.chairs.document(id: id)))
        }
        return shop
    }

    func save(_ id: String, _ data: [String: Any]) throws {
        try chairs.save(document: MutableDocument(id: id, data: data))
    }

    /// The first column of all rows.
    func texts(_ query: any Query) throws -> [String?] {
        try query.execute().map { $0.string(at: 0) }
    }

    func texts(_ sql: String) throws -> [String?] { try texts(database.createQuery(sql)) }
}
