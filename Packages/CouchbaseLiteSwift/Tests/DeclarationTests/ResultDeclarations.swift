import CouchbaseLiteSwift
import Foundation
import Testing

/// `sqlpp.md` §11.
@Suite struct ResultDeclarations {
    private struct Hotel: Codable, Equatable {
        var name: String
        var stars: Int
        var note: String?
    }

    private let place: Place
    let database: Database
    let collection: Collection

    init() throws {
        place = try Place()
        database = try place.open()
        collection = try database.defaultCollection()
        for (id, stars) in [("bern", 3), ("oslo", 5)] {
            let document = MutableDocument(id: id, data: ["name": id, "stars": stars])
            document.setDate(Date(timeIntervalSince1970: 1_500_000_000), forKey: "opened")
            document.setBlob(Blob(contentType: "a/b", data: Data([1, 2, 3])), forKey: "photo")
            document.setValue(NSNull(), forKey: "gone")
            document.setArray(MutableArrayObject(data: [1, 2]), forKey: "list")
            document.setDictionary(MutableDictionaryObject(data: ["a": true]), forKey: "map")
            try collection.save(document: document)
        }
    }

    private func results(_ columns: String) throws -> ResultSet {
        try database.createQuery("SELECT \(columns) FROM _ ORDER BY META().id").execute()
    }

    @Test func `a result set can be iterated once`() throws {
        func accept<T: Sequence & IteratorProtocol>(_ set: T) where T.Element == Result {}
        let set = try results("name, stars")
        accept(set)
        let first: Result? = set.next()
        #expect(first?.string(at: 0) == "bern")
        let rest: [Result] = set.allResults()
        #expect(rest.map { $0.string(forKey: "name") } == ["oslo"])
        #expect(set.next() == nil && set.allResults().isEmpty)
        #expect(first?.int(forKey: "stars") == 3)
        let models: [Hotel] = try results("name, stars").data(as: Hotel.self)
        #expect(models == [Hotel(name: "bern", stars: 3), Hotel(name: "oslo", stars: 5)])
        let nested: [Hotel] = try results("META().id, *").data(as: Hotel.self, dataKey: "_")
        #expect(nested == models)
        let missing = try results("name")
        #expect(code { _ = try missing.data(as: Hotel.self) } == CBLError.invalidQuery)
        let wrong = try results("stars AS name, stars")
        #expect(code { _ = try wrong.data(as: Hotel.self) } == CBLError.decodingError)
    }

    private static let columns =
        "name, stars, stars / 2.0 AS half, stars > 1 AS many, opened, photo, list, map, gone, none"

    @Test func `a result has getters by index`() throws {
        let row = try #require(try results(Self.columns).next())
        let _: ArrayProtocol = row
        #expect((row.count as Int) == 10)
        #expect(row.value(at: 0) as? String == "bern")
        #expect((row.string(at: 0) as String?) == "bern")
        #expect((row.number(at: 1) as NSNumber?) == 3)
        #expect((row.int(at: 1) as Int) == 3 && (row.int64(at: 1) as Int64) == 3)
        #expect((row.float(at: 2) as Float) == 1.5 && (row.double(at: 2) as Double) == 1.5)
        #expect((row.boolean(at: 3) as Bool) == true)
        #expect((row.date(at: 4) as Date?) == Date(timeIntervalSince1970: 1_500_000_000))
        #expect((row.blob(at: 5) as Blob?)?.content == Data([1, 2, 3]))
        #expect((row.array(at: 6) as ArrayObject?)?.count == 2)
        #expect((row.dictionary(at: 7) as DictionaryObject?)?.boolean(forKey: "a") == true)
        #expect(row.value(at: 8) == nil && row.value(at: 9) == nil)
        #expect(row.int(at: 8) == 0 && row.boolean(at: 9) == false && row.date(at: 0) == nil)
        let fragment: Fragment = row[0]
        #expect(fragment.string == "bern" && !row[8].exists && !row[99].exists)
        let array: [Any] = row.toArray()
        #expect(array.count == 10 && array[8] is NSNull && array[9] is NSNull)
    }

    @Test func `a result has getters by name`() throws {
        let row = try #require(try results(Self.columns).next())
        let _: DictionaryProtocol = row
        let keys: [String] = row.keys
        #expect(keys.prefix(4) == ["name", "stars", "half", "many"] && keys.last == "none")
        #expect(row.value(forKey: "name") as? String == "bern")
        #expect((row.string(forKey: "name") as String?) == "bern")
        #expect((row.number(forKey: "stars") as NSNumber?) == 3)
        #expect((row.int(forKey: "stars") as Int) == 3)
        #expect((row.int64(forKey: "stars") as Int64) == 3)
        #expect((row.float(forKey: "half") as Float) == 1.5)
        #expect((row.double(forKey: "half") as Double) == 1.5)
        #expect(row.boolean(forKey: "many") as Bool)
        #expect((row.date(forKey: "opened") as Date?) != nil)
        #expect((row.blob(forKey: "photo") as Blob?)?.contentType == "a/b")
        #expect((row.array(forKey: "list") as ArrayObject?)?.int(at: 1) == 2)
        #expect((row.dictionary(forKey: "map") as DictionaryObject?)?.count == 1)
        #expect(row.contains(key: "gone") && !row.contains(key: "none"))
        #expect(!row.contains(key: "other") && row.value(forKey: "other") == nil)
        #expect(row["name"].string == "bern" && row["map"]["a"].boolean)
        let names: IndexingIterator<[String]> = row.makeIterator()
        #expect(Array(IteratorSequence(names)) == keys)
    }

    @Test func `a result converts to plain values, JSON and models`() throws {
        let row = try #require(try results("name, stars, gone, none").next())
        let dictionary: [String: Any] = row.toDictionary()
        #expect(Set(dictionary.keys) == ["name", "stars", "gone"])
        #expect(dictionary["gone"] is NSNull)
        let json: String = row.toJSON()
        #expect(json == #"{"name":"bern","stars":3,"gone":null}"#)
        let hotel: Hotel = try row.data(as: Hotel.self)
        #expect(hotel == Hotel(name: "bern", stars: 3, note: nil))
        let whole = try #require(try results("*").next())
        #expect(whole.keys == ["_"])
        #expect(whole.dictionary(forKey: "_")?.string(forKey: "name") == "bern")
        #expect(whole.dictionary(at: 0)?.toMutable().setInt(1, forKey: "x").count == 8)
    }

    @Test func `a blob from a row can be saved in another document`() throws {
        let row = try #require(try results("photo").next())
        let copy = MutableDocument(id: "copy")
        copy.setBlob(row.blob(at: 0), forKey: "photo")
        try collection.save(document: copy)
        let saved = try collection.document(id: "copy")
        #expect(saved?.blob(forKey: "photo")?.content == Data([1, 2, 3]))
    }
}
