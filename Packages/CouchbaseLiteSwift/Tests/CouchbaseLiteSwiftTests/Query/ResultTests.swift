import CouchbaseLiteSwift
import Foundation
import Testing

/// `sqlpp.md` §11: result sets and rows.
@Suite struct ResultTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    private func row(_ sql: String) throws -> CouchbaseLiteSwift.Result {
        try #require(try shop.database.createQuery(sql).execute().next())
    }

    @Test func `a result set can be iterated once`() throws {
        let set = try shop.database.createQuery("SELECT name FROM shop.chairs ORDER BY name")
            .execute()
        #expect(set.next()?.string(at: 0) == "Bern")
        #expect(set.allResults().map { $0.string(forKey: "name") } == ["Oslo", "Porto", "Turin"])
        #expect(set.next() == nil)
        #expect(set.allResults().isEmpty)
    }

    @Test func `null and MISSING are read as nil, but contains(key:) distinguishes them`() throws {
        let row = try row("SELECT price, nothing, name FROM shop.chairs WHERE META().id = 'c4'")
        #expect(row.count == 3)
        #expect(row.keys == ["price", "nothing", "name"])
        #expect(row.value(at: 0) == nil && row.value(at: 1) == nil)
        #expect(row.contains(key: "price") && !row.contains(key: "nothing"))
        #expect(row.toJSON() == #"{"price":null,"name":"Porto"}"#)
        #expect(row.toDictionary().keys.sorted() == ["name", "price"])
        #expect(row.toArray().count == 3 && row.toArray()[1] is NSNull)
        #expect(row.int(at: 0) == 0 && row.boolean(at: 1) == false)
        #expect(row[9].value == nil && row["none"].exists == false && row[2].string == "Porto")
    }

    @Test func `values keep their types`() throws {
        let row = try row(
            "SELECT isCheap, price, seats, tags, 1.5, NOT isCheap FROM shop.chairs WHERE META().id = 'c3'"
        )
        #expect(row.value(at: 0) as? Bool == true)
        #expect(row.value(at: 1) as? Int == 89)
        #expect(row.double(at: 4) == 1.5)
        #expect(row.boolean(at: 5) == false)
        #expect(row.toJSON() == #"{"isCheap":true,"price":89,"seats":1,"$1":1.5,"$2":false}"#)
    }

    @Test func `SELECT * returns one column with the collection's name`() throws {
        let row = try row("SELECT *, META().id FROM shop.chairs WHERE META().id = 'c1'")
        #expect(row.keys == ["chairs", "id"])
        let body = try #require(row.dictionary(forKey: "chairs"))
        #expect(body.string(forKey: "name") == "Oslo")
        #expect(body.array(forKey: "tags")?.count == 2)
        #expect(row["chairs"]["tags"][1].string == "light")
        #expect(body.toMutable().setString("x", forKey: "name").string(forKey: "name") == "x")
    }

    @Test func `a blob in a row has its content`() throws {
        let data = Data("picture".utf8)
        let document = MutableDocument(id: "b")
        document.setBlob(Blob(contentType: "text/plain", data: data), forKey: "blob")
        try shop.chairs.save(document: document)
        let row = try row("SELECT blob FROM shop.chairs WHERE META().id = 'b'")
        #expect(row.blob(at: 0)?.content == data)
    }

    struct Chair: Decodable, Equatable {
        let name: String
        let price: Double?
        let tags: [String]?
    }

    final class Model: Decodable {
        @DocumentID var id: String?
        var name: String
    }

    @Test func `rows can be decoded, also with a data key`() throws {
        let query = try shop.database.createQuery(
            "SELECT name, price, tags FROM shop.chairs ORDER BY name LIMIT 2"
        )
        #expect(
            try query.execute().data(as: Chair.self) == [
                Chair(name: "Bern", price: 340.5, tags: ["leather"]),
                Chair(name: "Oslo", price: 120, tags: ["wood", "light"]),
            ]
        )
        let model = try row("SELECT META().id, * FROM shop.chairs WHERE META().id = 'c1'")
            .data(as: Model.self, dataKey: "chairs")
        #expect(model.id == "c1" && model.name == "Oslo")
    }

    @Test func `a row that cannot be decoded has an error with the reason`() throws {
        let row = try row("SELECT price FROM shop.chairs WHERE META().id = 'c1'")
        expect(CBLError.invalidQuery) { _ = try row.data(as: Chair.self) }
        let other = try self.row("SELECT price AS name FROM shop.chairs WHERE META().id = 'c1'")
        expect(CBLError.decodingError) { _ = try other.data(as: Chair.self) }
    }

    /// The columns exist, so the query is not the cause.
    @Test func `a value inside a column that cannot be decoded throws decodingError`() throws {
        struct Part: Decodable {
            let size: Int
        }
        struct Whole: Decodable {
            let part: Part
            let tags: [String]?
        }
        for (part, tags) in [("{}", "[]"), (#"{"size":"x"}"#, "[]"), (#"{"size":1}"#, "[1]")] {
            let json = #"{"part":\#(part),"tags":\#(tags)}"#
            try shop.chairs.save(document: MutableDocument(id: "whole", json: json))
            let row = try row("SELECT part, tags FROM shop.chairs WHERE META().id = 'whole'")
            expect(CBLError.decodingError, "\(json)") { _ = try row.data(as: Whole.self) }
        }
    }

    @Test func `a query can nest the deepest document even deeper`() throws {
        let inner = String(repeating: "[", count: 127) + "7" + String(repeating: "]", count: 127)
        try shop.chairs.save(document: MutableDocument(id: "deep", json: #"{"a":\#(inner)}"#))
        let row = try row("SELECT [[a]] AS x FROM shop.chairs WHERE META().id = 'deep'")
        #expect(row.toJSON() == #"{"x":[[\#(inner)]]}"#)
        #expect(row.array(at: 0)?.array(at: 0)?.array(at: 0)?.count == 1)
    }
}
