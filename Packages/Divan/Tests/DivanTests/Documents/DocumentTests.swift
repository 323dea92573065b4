import Divan
import Foundation
import Testing

/// Documents as values: properties, literals, conversions and copies.
@Suite struct DocumentTests {
    @Test("Properties are set from literals and values, and read as types")
    func properties() throws {
        var doc = Document(id: "chair")
        doc.name = "Oslo"
        doc.price = 199.5
        doc.seats = 3
        doc.isSold = false
        let town: String = "Bergen"
        doc.town = town
        let made = Date(timeIntervalSince1970: 86_400)
        doc.made = made
        doc.tags = ["light", "wood"]

        #expect(doc.name == "Oslo")
        #expect(doc.price?.double == 199.5)
        #expect(doc.seats == 3)
        #expect(doc.isSold == false)
        let read: String? = doc.town
        #expect(read == "Bergen")
        #expect(doc.made == made)
        #expect(doc.tags == ["light", "wood"])
        #expect(doc.tags?[1]?.string == "wood")
        #expect(doc.missing == nil)
        let wrong: Int? = doc.name
        #expect(wrong == nil)
    }

    @Test("Setting nil removes a property, and null is a value")
    func removal() {
        var doc = Document(["a": 1, "b": 2])
        doc.a = nil
        doc.b = .null
        #expect(doc.keys == ["b"])
        #expect(doc.b?.isNull == true)
    }

    @Test("A path of keys reads and writes nested objects")
    func paths() {
        var doc = Document()
        doc["address", "city"] = "Rome"
        doc["address", "zip"] = 100
        #expect(doc["address", "city"] == "Rome")
        #expect(doc.address?["zip"]?.int == 100)
        doc["address", "city"] = nil
        #expect(doc.address?.object?.keys.sorted() == ["zip"])
        // Removing something below nothing creates nothing.
        doc["other", "deep"] = nil
        #expect(doc.keys == ["address"])
    }

    @Test("Elements of an array are replaced, appended and removed")
    func elements() {
        var doc = Document(["list": [1, 2, 3]])
        doc.list?[0] = 9
        doc.list?[3] = 4
        doc.list?[1] = nil
        doc.list?[17] = 5
        #expect(doc.list == [9, 3, 4])
    }

    @Test("Copies are independent")
    func copies() {
        let one = Document(id: "x", ["a": 1])
        var two = one
        two.a = 2
        #expect(one.a == 1)
        #expect(two.a == 2)
        #expect(one != two)
    }

    @Test("A document is created from JSON, and written as JSON")
    func json() throws {
        let doc = try Document(id: "x", json: #"{"b":[1,{"c":null}],"a":"é"}"#)
        #expect(doc.json == #"{"a":"é","b":[1,{"c":null}]}"#)
        expect(.decodingFailed) { _ = try Document(json: "[1]") }
        expect(.decodingFailed) { _ = try Document(json: "{") }
    }

    @Test("Numbers keep their digits")
    func numbers() throws {
        let doc = try Document(json: #"{"big":12345678901234567890123,"max":18446744073709551615}"#)
        let max: UInt64? = doc.max
        #expect(max == .max)
        #expect(doc.big?.decimal == Decimal(string: "12345678901234567890123"))
        #expect(doc.json.contains("12345678901234567890123"))
    }

    @Test("Every type of value survives a save")
    func roundTrip() throws {
        let things = try Database.inMemory().documents
        var doc = Document(id: "all")
        doc.decimal = Decimal(string: "12.10")
        doc.url = URL(string: "https://example.com/a")
        let uuid = UUID()
        doc.uuid = uuid
        doc.map = ["a": [1, 2], "b": []] as [String: [Int]]
        doc.small = UInt8(7)
        doc.float = Float(0.1)
        try things.save(doc)
        let read = try #require(try things.get("all"))
        #expect(read.revision != nil)
        #expect(read.decimal == Decimal(string: "12.1"))
        #expect(read.url == URL(string: "https://example.com/a"))
        #expect(read.uuid == uuid)
        #expect(read.map == ["a": [1, 2], "b": []] as [String: [Int]])
        #expect(read.small == UInt8(7))
        #expect(read.float == Float(0.1))
        #expect(read.kindOf("map") == .object)
    }

    @Test("Keys with escapes and other spellings are found in stored text")
    func spelling() throws {
        let things = try Database.inMemory().documents
        let keys = ["a\"b", "tab\t", "é", "e\u{301}", "", "\\"].filter { !$0.isEmpty }
        var doc = Document(id: "keys")
        for (number, key) in keys.enumerated() { doc[key] = DocumentValue(number) }
        try things.save(doc)
        let read = try #require(try things.get("keys"))
        for (number, key) in keys.enumerated() { #expect(read[key]?.int == number, "\(key)") }
        #expect(read["absent"] == nil)
    }

    private struct Finding: Codable, Equatable {
        var severity: Int
        var text: String
    }

    private struct Visit: Codable, Identifiable, Equatable {
        var id: UUID
        var site: String
        var findings: [Finding] = []
        var note: String?
    }

    @Test func `a document made from a model is the one that a save stores`() throws {
        let visits = try Database.inMemory().collection("visits")
        let visit = Visit(id: UUID(), site: "mill", findings: [Finding(severity: 2, text: "rust")])
        try visits.save(visit)
        let document = try Document(encoding: visit)
        #expect(try visits.get(visit.id) == document)
        #expect(document["id"] == nil)
        #expect(try Document(id: "other", encoding: visit).keys == document.keys)
        struct Plain: Encodable { var id = 7 }
        #expect(try Document(encoding: Plain())["id"]?.int == 7)
        struct User: Codable, Identifiable {
            struct ID: RawRepresentable, Codable, Hashable { var rawValue: String }
            var id: ID
        }
        #expect(try Document(encoding: User(id: User.ID(rawValue: "ada"))).id == "ada")
        struct Point: Codable, Identifiable {
            struct ID: Codable, Hashable { var x: Int }
            var id: ID
        }
        var point = try Document(id: "p", encoding: Point(id: Point.ID(x: 3)))
        try point.apply(Point(id: Point.ID(x: 4)))
        #expect(point["id", "x"]?.int == 4)
    }

    @Test func `a document takes the properties of a model, and keeps the others`() throws {
        var document = Document(id: "a", ["site": "dam", "note": "old", "future": [1, 2]])
        try document.apply(Visit(id: UUID(), site: "mill"))
        #expect(document.id == "a")
        #expect(document.site == "mill")
        #expect(document.note == nil)
        #expect(document.future?.count == 2)
        #expect(document["id"] == nil)
    }

    @Test func `any Codable value becomes a property, and is read again`() throws {
        let findings = [Finding(severity: 1, text: "dust"), Finding(severity: 3, text: "crack")]
        var document = Document()
        document.findings = try DocumentValue(encoding: findings)
        #expect(document["findings"]?[1]?["severity"]?.int == 3)
        #expect(try document.findings?.decode(as: [Finding].self) == findings)
        #expect(throws: DivanError.decodingFailed) { try document.findings?.decode(as: Int.self) }
        #expect(throws: DivanError.encodingFailed) { try DocumentValue(encoding: [Double.nan]) }
    }

    @Test func `equal documents are one member of a set`() {
        let documents = [1, 1, 2].map { Document(id: "a", ["n": DocumentValue($0)]) }
        #expect(Set(documents).count == 2)
        #expect(Set(documents).contains(Document(id: "a", ["n": 2])))
    }
}

extension Document {
    fileprivate func kindOf(_ key: String) -> DocumentValue.Kind? { self[key]?.kind }
}
