import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §18: which keys a saved model writes, and which it leaves alone.
@Suite struct ModelKeysTests {
    struct Address: Codable {
        var street: String
        var floor: Int?
    }

    final class Person: Codable {
        @DocumentID var id: String?
        var name: String
        var address: Address?
        var homes: [String: Address] = [:]
        var stays: [Address] = []

        init(id: String, name: String) {
            _id = DocumentID(wrappedValue: id)
            self.name = name
        }
    }

    final class WholePerson: Codable, WholeDocumentModel {
        @DocumentID var id: String?
        var name: String
    }

    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func put(_ json: String) throws {
        try collection.save(document: try MutableDocument(id: "p", json: json))
    }

    private func stored() throws -> String {
        try #require(try collection.document(id: "p")).toJSON()
    }

    private func read() throws -> Person {
        try #require(try collection.document(id: "p", as: Person.self))
    }

    @Test func `keys that a model does not declare are kept at every depth`() throws {
        try put(
            #"{"address":{"door":"left","street":"A"},"homes":{"sea":{"key":7,"street":"B"}},"#
                + #""name":"Ada","newer":{"x":[1]},"stays":[{"street":"C","year":1843}]}"#
        )
        let person = try read()
        person.name = "Eve"
        person.address?.street = "D"
        try collection.save(from: person)
        #expect(
            try stored()
                == #"{"address":{"door":"left","floor":null,"street":"D"},"#
                + #""homes":{"sea":{"floor":null,"key":7,"street":"B"}},"#
                + #""name":"Eve","newer":{"x":[1]},"stays":[{"floor":null,"street":"C"}]}"#
        )
        person.name = "Ida"
        try collection.save(from: person)
        #expect(try stored().contains(#""newer":{"x":[1]}"#))
    }

    @Test func `a value that a model removes is removed from the document`() throws {
        try put(
            #"{"address":{"door":"left","street":"A"},"homes":{"sea":{"key":7,"street":"B"}},"#
                + #""name":"Ada","stays":[]}"#
        )
        let person = try read()
        person.address = nil
        person.homes["sea"] = nil
        try collection.save(from: person)
        #expect(try stored() == #"{"address":null,"homes":{},"name":"Ada","stays":[]}"#)
    }

    @Test func `a blob that a model does not declare stays readable`() throws {
        let document = MutableDocument(id: "p", data: ["name": "Ada", "homes": [:], "stays": []])
        document.setBlob(Blob(contentType: "text/plain", data: Data("hi".utf8)), forKey: "note")
        try collection.save(document: document)
        let person = try read()
        try collection.save(from: person)
        #expect(try collection.document(id: "p")?.blob(forKey: "note")?.content == Data("hi".utf8))
    }

    @Test func `a blob's metadata is kept until the model changes its content`() throws {
        final class Page: Codable {
            @DocumentID var id: String?
            var name: String
            var scan: Data
            var more: [String: Data]
        }
        let scan = Blob(contentType: "image/png", data: Data([1, 2]))
        try home.database.saveBlob(blob: scan)
        let digest = try #require(scan.digest)
        let blob =
            #"{"@type":"blob","alt":"A","content_type":"image/png","#
            + #""digest":"\#(digest)","length":2}"#
        try put(#"{"more":{"a":\#(blob)},"name":"Ada","scan":\#(blob)}"#)
        let page = try #require(try collection.document(id: "p", as: Page.self))
        page.name = "Eve"
        try collection.save(from: page)
        #expect(try stored() == #"{"more":{"a":\#(blob)},"name":"Eve","scan":\#(blob)}"#)
        page.scan = Data([3])
        try collection.save(from: page)
        let read = try #require(try collection.document(id: "p")?.blob(forKey: "scan"))
        #expect(read.contentType == "application/octet-stream" && read.content == Data([3]))
        #expect(read.properties["alt"] == nil)
    }

    @Test func `undeclared keys of the newest revision are kept after a conflict`() throws {
        try put(#"{"homes":{},"name":"Ada","newer":1,"stays":[]}"#)
        let person = try read()
        try put(#"{"homes":{},"name":"Eve","newer":2,"newest":3,"stays":[]}"#)
        person.name = "Ida"
        #expect(try collection.save(from: person) { _, _ in true })
        let merged = #"{"address":null,"homes":{},"name":"Ida","newer":2,"newest":3,"stays":[]}"#
        #expect(try stored() == merged)
        try collection.save(from: person)
        #expect(try stored() == merged)
    }

    @Test func `a WholeDocumentModel drops keys that it does not declare`() throws {
        try put(#"{"name":"Ada","newer":1}"#)
        let person = try #require(try collection.document(id: "p", as: WholePerson.self))
        person.name = "Eve"
        try collection.save(from: person)
        #expect(try stored() == #"{"name":"Eve"}"#)
    }

    @Test func `saving a model that was not read replaces the document`() throws {
        try put(#"{"name":"Ada","newer":1}"#)
        try collection.save(from: Person(id: "p", name: "Eve"))
        #expect(try stored() == #"{"address":null,"homes":{},"name":"Eve","stays":[]}"#)
    }

    @Test func `optionals that are nil are written as null`() throws {
        final class Form: Codable {
            @DocumentID var id: String?
            var text: String?
            var flag: Bool?
            var int: Int?
            var small: Int8?
            var large: UInt64?
            var float: Float?
            var double: Double?
            var date: Date?
            var list: [Int]?
            var blob: Blob?
            var inner: Address?
        }
        let form = Form()
        form.id = "p"
        try collection.save(from: form)
        #expect(
            try stored()
                == #"{"blob":null,"date":null,"double":null,"flag":null,"float":null,"#
                + #""inner":null,"int":null,"large":null,"list":null,"small":null,"text":null}"#
        )
        let twin = try #require(try collection.document(id: "p", as: Form.self))
        #expect(twin.text == nil && twin.inner == nil && twin.blob == nil && twin.large == nil)
    }

    @Test func `a subclass's document ID takes precedence over its superclass's`() throws {
        class Animal: Codable {
            @DocumentID var id: String?
            var legs = 4
        }
        final class Bird: Animal {
            @DocumentID var ring: String?
            var wings = 2

            override init() { super.init() }

            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                _ring = try container.decode(DocumentID.self, forKey: .ring)
                wings = try container.decode(Int.self, forKey: .wings)
                try super.init(from: decoder)
            }

            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(_ring, forKey: .ring)
                try container.encode(wings, forKey: .wings)
            }

            enum Keys: CodingKey { case ring, wings }
        }
        let bird = Bird()
        (bird.id, bird.ring) = ("animal", "p")
        try collection.save(from: bird)
        #expect(try stored() == #"{"legs":4,"wings":2}"#)
        #expect(try collection.document(id: "animal") == nil)
        let twin = try #require(try collection.document(id: "p", as: Bird.self))
        #expect(twin.ring == "p" && twin.id == "p")
        twin.wings = 1
        #expect(try collection.save(from: twin, concurrencyControl: .failOnConflict))
    }

    /// A subclass that leaves its ID out of its coding, and has its superclass's part beside its own.
    private class Vehicle: Codable {
        @DocumentID var id: String?
        var wheels = 4
    }

    private final class Truck: Vehicle {
        @DocumentID var plate: String?
        var load = 2

        enum Keys: CodingKey { case load }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            load = try container.decode(Int.self, forKey: .load)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(load, forKey: .load)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test(arguments: [nil, "base"])
    func `a subclass's document ID takes precedence even if only the superclass's is encoded`(
        base: String?
    ) throws {
        let truck = Truck()
        (truck.id, truck.plate) = (base, "p")
        try collection.save(from: truck)
        #expect(collection.count == 1)
        #expect(try stored() == #"{"load":2,"super":{"wheels":4}}"#)
        truck.load = 3
        #expect(try collection.save(from: truck, concurrencyControl: .failOnConflict))

        let twin = try #require(try collection.document(id: "p", as: Truck.self))
        #expect(twin.plate == "p" && twin.load == 3)
        twin.load = 4
        #expect(try collection.save(from: twin, concurrencyControl: .failOnConflict))
        #expect(collection.count == 1)
        #expect(try !collection.save(from: truck, concurrencyControl: .failOnConflict))
        try collection.delete(for: twin)
        #expect(collection.count == 0)
    }

    @Test func `a new model whose ID is not encoded gets a generated ID`() throws {
        let truck = Truck()
        truck.id = "base"
        try collection.save(from: truck)
        let id = try #require(truck.plate)
        #expect(id != "base")
        #expect(try collection.document(id: id) != nil && collection.count == 1)
    }

    @Test func `a number too large for Float fails to decode`() throws {
        struct Narrow: Codable { var f: Float }
        try put(#"{"f":1e300}"#)
        expect(CBLError.decodingError) {
            _ = try collection.typedDocument(id: "p", of: Narrow.self)
        }
        try put(#"{"f":3.4028234663852886e38}"#)
        #expect(
            try collection.typedDocument(id: "p", of: Narrow.self)?.content.f
                == .greatestFiniteMagnitude
        )
    }
}
