import Divan
import Foundation
import Testing

/// Plain structs as documents.
@Suite struct ModelTests {
    enum Kind: String, Codable, Sendable { case fruit, vegetable }

    enum Delivery: Codable, Sendable, Equatable {
        case pickup
        case courier(name: String, fee: Double)
    }

    struct Maker: Codable, Sendable, Equatable {
        var name: String
        var town: String?
    }

    struct Product: Codable, Identifiable, Sendable, Equatable {
        var id: UUID
        var kind = Kind.fruit
        var delivery = Delivery.courier(name: "Ada", fee: 4.5)
        var maker = Maker(name: "Sedia", town: "Udine")
        var others: [Maker] = [Maker(name: "Two", town: nil)]
        var stock: [String: Int] = ["a": 1]
        var made = Date(timeIntervalSince1970: 86_400.125)
        var price = Decimal(string: "12.10") ?? 0
        var site = URL(string: "https://example.com")
        var scores: [Double?] = [1.5, nil, -0.25]
        var big = UInt64.max
        var note: String?
        var any: DocumentValue = ["free": [1, "form"]]
    }

    struct Counter: Codable, Identifiable, Sendable {
        var id: Int
        var count = 0
    }

    private let things: DocumentCollection

    init() throws {
        things = try Database.inMemory().documents
    }

    @Test("Nested structs, enums, dates, decimals, optionals and collections survive a save")
    func roundTrip() throws {
        let product = Product(id: UUID())
        let revision = try things.save(product)
        #expect(try things.get(product.id.uuidString)?.revision == revision)
        #expect(try things.get(product.id.uuidString, as: Product.self) == product)
    }

    @Test("The ID is not stored as a property, and properties that are nil are left out")
    func stored() throws {
        try things.save(Note(id: "1", title: "Milk"))
        #expect(try things.get("1")?.json == #"{"done":false,"title":"Milk"}"#)
        try things.save(Counter(id: 42, count: 2))
        #expect(try things.get("42", as: Counter.self)?.id == 42)
    }

    @Test("A type without an ID is saved under one")
    func explicitID() throws {
        try things.save(Maker(name: "Sedia", town: nil), id: "m")
        #expect(try things.get("m", as: Maker.self) == Maker(name: "Sedia", town: nil))
        try things.save(["a": 1, "b": 2], id: "d")
        try things.save(["b": 3], id: "d")
        #expect(try things.get("d", as: [String: Int].self) == ["b": 3])
    }

    @Test("Properties that the model does not have are kept by saves and updates")
    func unknownKeys() throws {
        try things.save(
            Document(
                id: "1",
                [
                    "title": "Milk", "done": false, "stars": 3, "color": "red",
                    "maker": ["name": "A", "vat": 7],
                ]
            )
        )
        struct Old: Codable, Identifiable {
            var id: String
            var title: String
            var stars: Int?
            var maker: Maker
        }
        try things.update("1", as: Old.self) { old in
            old.title = "Bread"
            old.stars = nil
            old.maker.town = "Rome"
        }
        let expected =
            #"{"color":"red","done":false,"#
            + #""maker":{"name":"A","town":"Rome","vat":7},"title":"Bread"}"#
        #expect(try things.get("1")?.json == expected)
        try things.save(Old(id: "1", title: "Tea", stars: 1, maker: Maker(name: "B", town: nil)))
        #expect(
            try things.get("1")?.json == #"{"color":"red","done":false,"#
                + #""maker":{"name":"B","vat":7},"stars":1,"title":"Tea"}"#
        )
    }

    @Test("A model that was changed in the meantime is a conflict if its revision is given")
    func conflicts() throws {
        let first = try things.save(Counter(id: 1), ifRevision: nil)
        expect(.conflict) { try things.save(Counter(id: 1), ifRevision: nil) }
        try things.update("1") { $0.color = "red" }
        expect(.conflict) { try things.save(Counter(id: 1, count: 5), ifRevision: first) }
        let current = try #require(try things.get("1")?.revision)
        let second = try things.save(Counter(id: 1, count: 5), ifRevision: current)
        // Properties that the model does not have are kept, as by other saves.
        #expect(try things.get("1")?.json == #"{"color":"red","count":5}"#)
        #expect(try things.get("1")?.revision == second)
        try things.delete("1")
        expect(.conflict) { try things.save(Counter(id: 1), ifRevision: second) }

        let product = Product(id: UUID())
        let made = try things.save(product, ifRevision: nil)
        try things.save(product, ifRevision: made)
        expect(.conflict) { try things.save(product, ifRevision: made) }
        let maker = try things.save(Maker(name: "Sedia", town: nil), id: "m", ifRevision: nil)
        expect(.conflict) {
            try things.save(Maker(name: "Two", town: nil), id: "m", ifRevision: nil)
        }
        try things.save(Maker(name: "Two", town: nil), id: "m", ifRevision: maker)
    }

    @Test("An update that changes nothing saves nothing")
    func unchanged() throws {
        let revision = try things.save(Counter(id: 1, count: 5))
        try things.update("1", as: Counter.self) { $0.count = 5 }
        let document = try things.update("1") { $0.count = 5 }
        #expect(document.revision == revision)
        #expect(try things.get("1")?.revision == revision)
        try things.update("1", as: Counter.self) { $0.count = 6 }
        #expect(try things.get("1")?.revision != revision)
    }

    @Test("A key that a custom encoder leaves out is removed if the type reads it")
    func customEncoder() throws {
        struct Custom: Codable, Identifiable {
            var id: String
            var name: String?

            init(id: String, name: String?) { (self.id, self.name) = (id, name) }
            enum CodingKeys: CodingKey { case id, name }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                if let name { try container.encode(name, forKey: .name) }
            }
        }
        try things.save(Document(id: "1", ["name": "A", "other": 1]))
        try things.save(Custom(id: "1", name: nil))
        #expect(try things.get("1")?.json == #"{"other":1}"#)
    }

    @Test("Versions of a model live side by side: a new property has a default")
    func migration() throws {
        struct Old: Codable, Identifiable {
            var id: String
            var name: String
        }
        struct New: Codable, Identifiable {
            var id: String
            var firstName: String
            var lastName: String

            enum CodingKeys: CodingKey { case id, name, firstName, lastName }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(String.self, forKey: .id)
                let old = try container.decodeIfPresent(String.self, forKey: .name)
                let parts = (old ?? "").split(separator: " ").map(String.init)
                firstName =
                    try container.decodeIfPresent(String.self, forKey: .firstName)
                    ?? parts.first ?? ""
                lastName =
                    try container.decodeIfPresent(String.self, forKey: .lastName)
                    ?? parts.last ?? ""
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(firstName, forKey: .firstName)
                try container.encode(lastName, forKey: .lastName)
            }
        }
        try things.save(Old(id: "1", name: "Ada Lovelace"))
        try things.update("1", as: New.self) { _ in }
        #expect(try things.get("1")?.json == #"{"firstName":"Ada","lastName":"Lovelace"}"#)
    }

    @Test("A class hierarchy with superEncoder is decoded again")
    func superclasses() throws {
        class Base: Codable {
            var name = "base"
            init() {}
        }
        final class Derived: Base {
            var extra = 1
            private enum Keys: CodingKey { case extra }
            override init() { super.init() }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                extra = try container.decode(Int.self, forKey: .extra)
                try super.init(from: container.superDecoder())
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(extra, forKey: .extra)
                try super.encode(to: container.superEncoder())
            }
        }
        let derived = Derived()
        derived.name = "other"
        derived.extra = 7
        try things.save(derived, id: "1")
        let read = try #require(try things.get("1", as: Derived.self))
        #expect(read.name == "other")
        #expect(read.extra == 7)
    }

    @Test("Errors of models name the document and the property")
    func errors() throws {
        try things.save(Document(id: "1", ["title": 7]))
        expect(.decodingFailed) { _ = try things.get("1", as: Note.self) }
        do {
            _ = try things.get("1", as: Note.self)
        } catch {
            #expect("\(error)".contains("document 1"))
            #expect("\(error)".contains("title"))
        }
        expect(.encodingFailed) { try things.save([1, 2], id: "2") }
        expect(.encodingFailed) { try things.save(["x": Double.nan], id: "2") }
        expect(.encodingFailed) { try things.save(["x": Date.distantFuture + 1e13], id: "2") }
        var doc = Document(id: "3")
        doc.x = Double.infinity
        let infinite = doc
        expect(.encodingFailed) { try things.save(infinite) }
        expect(.notFound) { try things.update("none", as: Note.self) { $0.done = true } }
    }
}
