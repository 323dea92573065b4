import Divan
import Foundation
import Testing

/// `api-map.md` §18: Codable documents.
@Suite struct ModelTests {
    final class Profile: Codable {
        @DocumentID var id: String?
        var name: String
        var age = 30
        var score = 1.5
        var isActive = true
        var nickname: String?
        var joined = Date(timeIntervalSince1970: 1_520_339_696.5)
        var site = URL(string: "https://example.org/a?b")
        var tags = ["a", "b"]
        var address = Address(street: "Main", numbers: [1, 2])
        var others: [String: Address] = [:]
        var picture: Blob?
        var bytes: Data?

        init(id: String? = nil, name: String) {
            _id = DocumentID(wrappedValue: id)
            self.name = name
        }
    }

    struct Address: Codable, Equatable {
        var street: String
        var numbers: [Int8]
    }

    final class Anonymous: Codable {
        var name = "nobody"
    }

    final class TwoFaced: Codable {
        @DocumentID var one: String?
        @DocumentID var two: String?
    }

    let home: TemporaryDatabase
    let collection: Divan.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func read(_ id: String = "p") throws -> Profile {
        try #require(try collection.document(id: id, as: Profile.self))
    }

    @Test func `a model comes back as it was saved`() throws {
        let profile = Profile(id: "p", name: "Ada")
        profile.others = ["work": Address(street: "Side", numbers: [-1])]
        profile.picture = Blob(contentType: "image/png", data: Data([1, 2, 3]))
        profile.bytes = Data([4, 5])
        try collection.save(from: profile)

        let twin = try read()
        #expect(twin.id == "p")
        #expect(twin.name == "Ada")
        #expect(twin.age == 30)
        #expect(twin.score == 1.5)
        #expect(twin.isActive)
        #expect(twin.nickname == nil)
        #expect(twin.joined == profile.joined)
        #expect(twin.site == profile.site)
        #expect(twin.tags == ["a", "b"])
        #expect(twin.address == profile.address)
        #expect(twin.others == profile.others)
        #expect(twin.picture?.content == Data([1, 2, 3]))
        #expect(twin.picture?.contentType == "image/png")
        #expect(twin.bytes == Data([4, 5]))
    }

    @Test func `the body holds plain values and no ID`() throws {
        try collection.save(from: Profile(id: "p", name: "Ada"))
        let document = try #require(try collection.document(id: "p"))
        #expect(!document.contains(key: "id"))
        #expect(document.string(forKey: "joined") == "2018-03-06T12:34:56.500Z")
        #expect(document.string(forKey: "site") == "https://example.org/a?b")
        #expect(document["address"]["numbers"][1].int == 2)
    }

    @Test func `an ID is made up at the first save`() throws {
        let profile = Profile(name: "Ada")
        try collection.save(from: profile)
        let id = try #require(profile.id)
        #expect(try read(id).name == "Ada")
    }

    @Test func `a model that is saved again makes the next revision`() throws {
        let profile = Profile(id: "p", name: "Ada")
        try collection.save(from: profile)
        profile.age = 31
        #expect(try collection.save(from: profile, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "p")?.revisionID?.hasPrefix("2-") == true)
    }

    @Test func `two models of one document conflict`() throws {
        try collection.save(from: Profile(id: "p", name: "Ada"))
        let (first, second) = (try read(), try read())
        first.name = "first"
        try collection.save(from: first)
        second.name = "second"
        #expect(try !collection.save(from: second, concurrencyControl: .failOnConflict))
        let isMerged = try collection.save(from: second) { mine, theirs in
            mine.nickname = theirs?.name
            return true
        }
        #expect(isMerged)
        #expect(try read().name == "second")
        #expect(try read().nickname == "first")
        #expect(try !collection.save(from: first) { _, _ in false })
    }

    @Test func `models are deleted and purged`() throws {
        let profile = Profile(id: "p", name: "Ada")
        expect(CBLError.notFound) { try collection.delete(for: profile) }
        try collection.save(from: profile)
        try collection.delete(for: profile)
        #expect(try collection.document(id: "p", as: Profile.self) == nil)
        try collection.save(from: profile)
        try collection.purge(for: profile)
        expect(CBLError.notFound) { try collection.purge(for: profile) }
        #expect(collection.count == 0)
        // It counts as never saved: it may get another ID, but no other collection.
        profile.id = "q"
        let other = try home.database.createCollection(name: "other")
        expect(CBLError.invalidParameter) { try other.save(from: profile) }
        try collection.save(from: profile)
        #expect(try collection.document(id: "q") != nil)
    }

    @Test func `a model needs exactly one document ID`() {
        expect(CBLError.invalidParameter) { try collection.save(from: Anonymous()) }
        expect(CBLError.invalidParameter) { try collection.save(from: TwoFaced()) }
    }

    @Test(arguments: [
        #"{"name":7}"#, "{}", #"{"name":"x","age":1.5}"#, #"{"name":"x","age":"1"}"#,
        #"{"name":"x","address":{"street":"s","numbers":[300]}}"#,
    ])
    func `a document that does not fit is an error that says where`(_ json: String) throws {
        try collection.save(document: try MutableDocument(id: "p", json: json))
        expect(CBLError.decodingError) { _ = try read() }
    }

    @Test func `subclasses add their own keys`() throws {
        class Animal: Codable {
            @DocumentID var id: String?
            var legs = 4
        }
        final class Bird: Animal {
            var wings = 2

            override init() { super.init() }

            required init(from decoder: any Decoder) throws {
                wings = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .wings)
                try super.init(from: decoder)
            }

            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(wings, forKey: .wings)
            }

            enum Keys: CodingKey { case wings }
        }
        let bird = Bird()
        bird.legs = 2
        try collection.save(from: bird)
        let twin = try collection.document(id: try #require(bird.id), as: Bird.self)
        #expect(twin?.legs == 2)
        #expect(twin?.wings == 2)
    }

    @Test func `what a superclass encodes by itself stands under super`() throws {
        class Vehicle: Codable {
            @DocumentID var id: String?
            var wheels = 4
        }
        final class Bicycle: Vehicle {
            var bells = [1, 2]

            override init() { super.init() }

            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                bells = try container.decode([Int].self, forKey: .bells)
                try super.init(from: container.superDecoder())
            }

            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(bells, forKey: .bells)
                try super.encode(to: container.superEncoder())
            }

            enum Keys: CodingKey { case bells }
        }
        let bicycle = Bicycle()
        bicycle.id = "bicycle"
        bicycle.wheels = 2
        try collection.save(from: bicycle)
        let stored = try #require(try collection.document(id: "bicycle"))
        #expect(stored.toJSON() == #"{"bells":[1,2],"super":{"wheels":2}}"#)
        let twin = try collection.document(id: "bicycle", as: Bicycle.self)
        #expect(twin?.id == "bicycle")
        #expect(twin?.wheels == 2)
        #expect(twin?.bells == [1, 2])
        try collection.save(document: MutableDocument(id: "bicycle", data: ["bells": [1]]))
        expect(CBLError.decodingError) {
            _ = try collection.document(id: "bicycle", as: Bicycle.self)
        }
    }

    @Test func `a model saved in an undone batch is as new`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let profile = Profile(id: "ada", name: "Ada")
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                try collection.save(from: profile)
                throw CancellationError()
            }
        }
        #expect(try collection.save(from: profile, concurrencyControl: .failOnConflict))
    }
}
