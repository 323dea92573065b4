import CouchbaseLiteSwift
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
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func read(_ id: String = "p") throws -> Profile {
        try #require(try collection.document(id: id, as: Profile.self))
    }

    @Test func `a saved model is read back unchanged`() throws {
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

    @Test func `128-bit integers are read back, alone and in collections`() throws {
        final class Account: Codable {
            @DocumentID var id: String?
            var balance = -(Int128(1) << 100)
            var key: UInt128? = .max
            var none: Int128?
            var rows = [Int128.min, -1, .max]
            var sums = ["a": Int128(UInt64.max) + 1]
        }
        let account = Account()
        account.id = "a"
        try collection.save(from: account)
        let json = try #require(try collection.document(id: "a")).toJSON()
        #expect(
            json == #"{"balance":-1267650600228229401496703205376,"#
                + #""key":340282366920938463463374607431768211455,"none":null,"#
                + #""rows":[-170141183460469231731687303715884105728,-1,"#
                + #"170141183460469231731687303715884105727],"sums":{"a":18446744073709551616}}"#
        )
        let twin = try #require(try collection.document(id: "a", as: Account.self))
        #expect(twin.balance == account.balance && twin.key == .max && twin.none == nil)
        #expect(twin.rows == account.rows && twin.sums == account.sums)
    }

    @Test func `decimal numbers are stored as numbers with all their digits`() throws {
        final class Item: Codable {
            @DocumentID var id: String?
            var price = Decimal(string: "-19.95") ?? 0
            var exact = Decimal(string: "0.12345678901234567890123") ?? 0
            var none: Decimal?
            var rows = [Decimal(5), Decimal(string: "12.1") ?? 0]
        }
        let item = Item()
        item.id = "i"
        try collection.save(from: item)
        let json = try #require(try collection.document(id: "i")).toJSON()
        #expect(
            json == #"{"exact":0.12345678901234567890123,"none":null,"price":-19.95,"#
                + #""rows":[5,12.1]}"#
        )
        let twin = try #require(try collection.document(id: "i", as: Item.self))
        #expect(twin.price == item.price && twin.exact == item.exact && twin.rows == item.rows)
        let query = try home.database.createQuery("SELECT price FROM _ WHERE price < -19.9")
        let row = try #require(try query.execute().next())
        #expect(row.double(at: 0) == -19.95)
    }

    @Test func `decimal numbers in the format of older versions can be read`() throws {
        final class Item: Codable {
            @DocumentID var id: String?
            var price = Decimal()
        }
        let parts =
            #"{"exponent":-2,"isCompact":true,"isNegative":false,"length":1,"#
            + #""mantissa":[1995,0,0,0,0,0,0,0]}"#
        let body = #"{"price":\#(parts)}"#
        try collection.save(document: MutableDocument(id: "i", json: body))
        let item = try #require(try collection.document(id: "i", as: Item.self))
        #expect(item.price == Decimal(string: "19.95"))
    }

    @Test func `the body contains plain values and no ID`() throws {
        try collection.save(from: Profile(id: "p", name: "Ada"))
        let document = try #require(try collection.document(id: "p"))
        #expect(!document.contains(key: "id"))
        #expect(document.string(forKey: "joined") == "2018-03-06T12:34:56.500Z")
        #expect(document.string(forKey: "site") == "https://example.org/a?b")
        #expect(document["address"]["numbers"][1].int == 2)
    }

    @Test func `the first save generates an ID`() throws {
        let profile = Profile(name: "Ada")
        try collection.save(from: profile)
        let id = try #require(profile.id)
        #expect(try read(id).name == "Ada")
    }

    @Test func `saving a model again creates a new revision`() throws {
        let profile = Profile(id: "p", name: "Ada")
        try collection.save(from: profile)
        profile.age = 31
        #expect(try collection.save(from: profile, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "p")?.revisionID?.hasPrefix("2-") == true)
    }

    @Test func `two models of the same document conflict`() throws {
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
        expect(CBLError.unexpectedError) { try collection.delete(for: profile) }
        try collection.save(from: profile)
        try collection.delete(for: profile)
        #expect(try collection.document(id: "p", as: Profile.self) == nil)
        try collection.save(from: profile)
        try collection.purge(for: profile)
        expect(CBLError.notFound) { try collection.purge(for: profile) }
        #expect(collection.count == 0)
        // It counts as never saved, so it may get another ID.
        profile.id = "q"
        let other = try home.database.createCollection(name: "other")
        try other.save(from: profile)
        try collection.save(from: profile)
        #expect(try collection.document(id: "q") != nil && other.document(id: "q") != nil)
        expect(CBLError.notFound) { try collection.purge(for: Profile(name: "Ada")) }
    }

    @Test func `a new model with the ID of an existing document replaces it`() throws {
        func fresh(_ name: String) -> Profile { Profile(id: "p", name: name) }
        try collection.save(from: fresh("Ada"))
        #expect(try collection.save(from: fresh("Eve"), concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "p")?.revisionID?.hasPrefix("2-") == true)
        let isSaved = try collection.save(from: fresh("Ida")) { _, _ in
            Issue.record("nothing is in conflict")
            return false
        }
        #expect(isSaved)
        #expect(try read().name == "Ida")
        #expect(try collection.delete(for: fresh(""), concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "p") == nil)
        expect(CBLError.unexpectedError) { try collection.delete(for: fresh("")) }
        try collection.save(from: fresh("Ada"))
        try collection.purge(for: fresh(""))
        #expect(collection.count == 0)
    }

    @Test func `a model that replaced a document in a rolled-back batch counts as new`() throws {
        try collection.save(from: Profile(id: "p", name: "Ada"))
        let (profile, purged) = (Profile(id: "p", name: "Eve"), try read())
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                try collection.save(from: profile)
                try collection.save(from: profile)
                try collection.purge(for: purged)
                throw CancellationError()
            }
        }
        profile.id = "q"
        #expect(try collection.save(from: profile, concurrencyControl: .failOnConflict))
        try collection.save(from: Profile(id: "p", name: "Ida"))
        #expect(try !collection.save(from: purged, concurrencyControl: .failOnConflict))
    }

    @Test func `a model read from one collection can be saved in any other`() throws {
        try collection.save(from: Profile(id: "p", name: "Ada"))
        let profile = try read()
        let other = try home.database.createCollection(name: "other")
        #expect(try other.save(from: profile, concurrencyControl: .failOnConflict))
        #expect(try other.document(id: "p")?.string(forKey: "name") == "Ada")
        // It now stands for that document, and another one is in conflict with it.
        let third = try home.database.createCollection(name: "third")
        try third.save(document: MutableDocument(id: "p", data: ["name": "Eve"]))
        #expect(try !third.save(from: profile, concurrencyControl: .failOnConflict))
        try third.save(from: profile)
        #expect(try third.document(id: "p")?.string(forKey: "name") == "Ada")

        let elsewhere = try home.reopened().defaultCollection()
        let (mine, theirs) = (try read(), try read())
        #expect(try elsewhere.save(from: mine, concurrencyControl: .failOnConflict))
        #expect(try !elsewhere.save(from: theirs, concurrencyControl: .failOnConflict))
        #expect(try elsewhere.delete(for: mine, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "p") == nil)
    }

    @Test func `a model whose document was purged is saved as a new document`() throws {
        for name in ["last", "fail", "ask"] {
            try collection.save(from: Profile(id: "p", name: "Ada"))
            let profile = try read()
            profile.name = name
            try collection.purge(id: "p")
            expect(CBLError.unexpectedError) { try collection.delete(for: profile) }
            switch name {
            case "last": try collection.save(from: profile)
            case "fail":
                #expect(try collection.save(from: profile, concurrencyControl: .failOnConflict))
            default: #expect(try collection.save(from: profile) { _, _ in false })
            }
            #expect(try read().name == name)
            #expect(try collection.document(id: "p")?.revisionID?.hasPrefix("1-") == true)
            try collection.purge(for: profile)
        }
    }

    @Test func `booleans and the numbers 0 and 1 are interchangeable`() throws {
        final class Switches: Codable {
            @DocumentID var id: String?
            var isOn: Bool
            var others: [Bool]
            var count: Int
            var share: Double
        }
        let json = #"{"isOn":1,"others":[0,1.0,true],"count":true,"share":false}"#
        try collection.save(document: try MutableDocument(id: "p", json: json))
        let switches = try #require(try collection.document(id: "p", as: Switches.self))
        #expect(switches.isOn && switches.others == [false, true, true])
        #expect(switches.count == 1 && switches.share == 0)
        for bad in ["2", "0.5", "-1", #""true""#, "null"] {
            let json = #"{"isOn":\#(bad),"others":[],"count":1,"share":1}"#
            try collection.save(document: try MutableDocument(id: "p", json: json))
            expect(CBLError.decodingError, "\(bad)") {
                _ = try collection.document(id: "p", as: Switches.self)
            }
        }
    }

    @Test func `a type that tries several kinds of value decodes each as stored`() throws {
        enum Loose: Codable, Equatable {
            case bool(Bool)
            case int(Int)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let bool = try? container.decode(Bool.self) {
                    self = .bool(bool)
                } else {
                    self = .int(try container.decode(Int.self))
                }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .bool(let bool): try container.encode(bool)
                case .int(let int): try container.encode(int)
                }
            }
        }
        final class Bag: Codable {
            @DocumentID var id: String?
            var things: [Loose]
        }
        let json = #"{"things":[1,true,0,false,7]}"#
        try collection.save(document: try MutableDocument(id: "p", json: json))
        let bag = try #require(try collection.document(id: "p", as: Bag.self))
        #expect(bag.things == [.int(1), .bool(true), .int(0), .bool(false), .int(7)])
        try collection.save(from: bag)
        #expect(try collection.document(id: "p")?.toJSON() == json)
    }

    @Test func `a model needs exactly one document ID`() {
        expect(CBLError.invalidParameter) { try collection.save(from: Anonymous()) }
        expect(CBLError.invalidParameter) { try collection.save(from: TwoFaced()) }
    }

    @Test func `a type without a document ID cannot be read either`() throws {
        try collection.save(document: MutableDocument(id: "p", data: ["name": "Ada"]))
        expect(CBLError.invalidParameter) {
            _ = try collection.document(id: "p", as: Anonymous.self)
        }
        #expect(try collection.document(id: "q", as: Anonymous.self) == nil)
        // An ID that its class sets itself is enough.
        final class Lone: Decodable {
            @DocumentID var id: String?
            let name: String

            init(from decoder: any Decoder) throws {
                name = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .name)
            }

            enum Keys: CodingKey { case name }
        }
        #expect(try collection.document(id: "p", as: Lone.self)?.name == "Ada")
        struct Plain: Decodable { let name: String }
        #expect(try collection.typedDocument(id: "p", of: Plain.self)?.content.name == "Ada")
    }

    @Test(arguments: [
        #"{"name":7}"#, "{}", #"{"name":"x","age":1.5}"#, #"{"name":"x","age":"1"}"#,
        #"{"name":"x","address":{"street":"s","numbers":[300]}}"#,
    ])
    func `a document that does not match the model throws decodingError`(_ json: String) throws {
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

    @Test func `a superclass that encodes itself is stored under the key super`() throws {
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

    @Test func `a model saved in a rolled-back batch counts as new`() throws {
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
