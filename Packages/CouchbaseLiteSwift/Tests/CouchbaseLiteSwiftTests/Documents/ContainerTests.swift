import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §3: nested containers are live.
@Suite struct ContainerTests {
    let home: TemporaryDatabase

    init() throws {
        home = try TemporaryDatabase()
    }

    private func read() throws -> Document {
        try #require(try home.collection.document(id: "doc"))
    }

    @Test func `editing a nested dictionary edits the document`() throws {
        try home.collection.save(
            document: MutableDocument(id: "doc", data: ["address": ["city": "Ghent"]])
        )
        let document = try read().toMutable()
        document.dictionary(forKey: "address")?.setString("9000", forKey: "zip")
        #expect(document["address"]["zip"].string == "9000")
        try home.collection.save(document: document)
        #expect(try read().toJSON() == #"{"address":{"city":"Ghent","zip":"9000"}}"#)
    }

    @Test func `a mutable document returns the same child object each time`() {
        let document = MutableDocument(data: ["d": ["a": [1]], "l": [[1], ["k": 1]]])
        let dictionary = document.dictionary(forKey: "d")
        #expect(dictionary != nil)
        #expect(document.dictionary(forKey: "d") === dictionary)
        #expect(document.value(forKey: "d") as AnyObject === dictionary)
        #expect(document["d"].dictionary === dictionary)
        let list = document.array(forKey: "l")
        #expect(list?.array(at: 0) === list?.array(at: 0))
        #expect(list?.dictionary(at: 1) === document["l"][1].dictionary)
    }

    @Test func `a read-only document returns the same child object each time, to every thread`()
        throws
    {
        let blob = Blob(contentType: "a/b", data: Data([1]))
        let data: [String: Any] = ["d": ["a": [1]], "l": [[1], ["k": 1], blob], "b": blob]
        try home.collection.save(document: MutableDocument(id: "doc", data: data))
        let document = try read()
        let dictionary = try #require(document.dictionary(forKey: "d"))
        #expect(document.value(forKey: "d") as AnyObject === dictionary)
        #expect(document["d"].dictionary === dictionary)
        #expect(dictionary.array(forKey: "a") === document["d"]["a"].array)
        let list = try #require(document.array(forKey: "l"))
        #expect(document.array(forKey: "l") === list)
        #expect(list.array(at: 0) === list.value(at: 0) as AnyObject)
        #expect(list.dictionary(at: 1) === document["l"][1].dictionary)
        #expect(document.blob(forKey: "b") === document["b"].blob)
        #expect(list.blob(at: 2) === list.blob(at: 2))
        let copy = document.toMutable()
        #expect(copy.dictionary(forKey: "d") !== dictionary, "a copy has children of its own")
    }

    @Test func `a child object still edits the document after it is saved`() throws {
        let document = MutableDocument(id: "doc", data: ["d": ["n": 1]])
        let child = try #require(document.dictionary(forKey: "d"))
        try home.collection.save(document: document)
        child.setInt(2, forKey: "n")
        try home.collection.save(document: document)
        #expect(try read()["d"]["n"].int == 2)
    }

    @Test func `editing a mutable copy does not change the original`() throws {
        try home.collection.save(
            document: MutableDocument(id: "doc", data: ["d": ["l": [1, 2]]])
        )
        let original = try read()
        let copy = original.toMutable()
        copy.dictionary(forKey: "d")?.array(forKey: "l")?.addInt(3).removeValue(at: 0)
        #expect(original["d"]["l"].array?.toJSON() == "[1,2]")
        #expect(copy["d"]["l"].array?.toArray() as? [Int] == [2, 3])
        #expect(copy.toMutable() === copy)
    }

    @Test func `a container stored under two keys is shared`() throws {
        let shared = MutableDictionaryObject(data: ["n": 1])
        let document = MutableDocument(id: "doc")
        document.setDictionary(shared, forKey: "a").setDictionary(shared, forKey: "b")
        shared.setInt(2, forKey: "n")
        try home.collection.save(document: document)
        #expect(try read().toJSON() == #"{"a":{"n":2},"b":{"n":2}}"#)

        let again = try read().toMutable()
        again["a"]["n"].int = 3
        #expect(again["b"]["n"].int == 2)
    }

    @Test func `an immutable container is copied when it is set`() throws {
        try home.collection.save(
            document: MutableDocument(id: "doc", data: ["d": ["n": 1], "l": [1]])
        )
        let original = try read()
        let other = MutableDocument()
        other.setDictionary(original.dictionary(forKey: "d"), forKey: "d")
        other.setArray(original.array(forKey: "l"), forKey: "l")
        other["d"]["n"].int = 2
        other.array(forKey: "l")?.addInt(2)
        #expect(original["d"]["n"].int == 1)
        #expect(original.array(forKey: "l")?.count == 1)
        #expect(other["d"]["n"].int == 2)
    }

    @Test func `setData replaces everything`() {
        let document = MutableDocument(data: ["a": 1])
        document.setData(["b": 2])
        #expect(document.keys == ["b"])
        let array = MutableArrayObject(data: [1, 2]).setData(["x"])
        #expect(array.toArray() as? [String] == ["x"])
    }

    @Test func `array items can be added, replaced and removed at any index`() throws {
        let array = MutableArrayObject()
        array.addInt(1).addString("two").addDouble(3.5).addBoolean(true).addValue(nil)
        array.insertInt(0, at: 0).insertString("end", at: 6)
        array.setInt64(9, at: 1)
        array.removeValue(at: 3)
        #expect(array.count == 6)
        #expect(array.int(at: 0) == 0)
        #expect(array.int64(at: 1) == 9)
        #expect(array.string(at: 2) == "two")
        #expect(array.boolean(at: 3))
        #expect(array.value(at: 4) is NSNull)
        #expect(array.string(at: 5) == "end")
        #expect(array.number(at: 2) == nil)
    }

    @Test func `an array accepts every type of value`() throws {
        let blob = Blob(contentType: "a/b", data: Data([1]))
        let date = Date(timeIntervalSince1970: 0)
        let array = MutableArrayObject()
        array.addDate(date).addBlob(blob).addFloat(0.5).addNumber(7)
        array.addArray(MutableArrayObject(data: [1]))
        array.addDictionary(MutableDictionaryObject(data: ["k": "v"]))
        try home.collection.save(document: MutableDocument(id: "doc").setArray(array, forKey: "l"))
        let read = try #require(try read().array(forKey: "l"))
        #expect(read.date(at: 0) == date)
        #expect(read.blob(at: 1) == blob)
        #expect(read.float(at: 2) == 0.5)
        #expect(read.double(at: 2) == 0.5)
        #expect(read.number(at: 3) == 7)
        #expect(read.array(at: 4)?.int(at: 0) == 1)
        #expect(read.dictionary(at: 5)?.string(forKey: "k") == "v")
        #expect(read.map { "\($0)" }.count == 6)
    }

    @Test func `an array can be set only from a JSON array`() throws {
        #expect(try MutableArrayObject(json: "[1,[2]]").array(at: 1)?.int(at: 0) == 2)
        for text in ["{}", "1", "", "[1,]"] {
            expect(CBLError.invalidJSON) { _ = try MutableArrayObject(json: text) }
        }
    }

    @Test func `containers are compared by content, mutable or not`() throws {
        try home.collection.save(
            document: MutableDocument(id: "doc", data: ["d": ["n": 1], "l": [1, 2]])
        )
        let document = try read()
        let dictionary = try #require(document.dictionary(forKey: "d"))
        let array = try #require(document.array(forKey: "l"))
        #expect(dictionary == MutableDictionaryObject(data: ["n": 1]))
        #expect(dictionary.hashValue == MutableDictionaryObject(data: ["n": 1]).hashValue)
        #expect(dictionary != MutableDictionaryObject(data: ["n": 2]))
        #expect(array == MutableArrayObject(data: [1, 2]))
        #expect(array != MutableArrayObject(data: [2, 1]))
        #expect(array.toMutable().addInt(3) != array)
        #expect(dictionary.toMutable().setInt(1, forKey: "n") == dictionary)
    }

    @Test func `a copy of a dictionary does not share its children`() {
        let original = MutableDictionaryObject(data: ["d": ["n": 1]])
        _ = original.dictionary(forKey: "d")
        let copy = original.toMutable()
        copy["d"]["n"].int = 2
        #expect(original["d"]["n"].int == 1)
    }

    @Test func `keys are stored byte for byte`() throws {
        // One letter in two compositions: one key in Swift's dictionaries, two in JSON.
        let document = try MutableDocument(id: "doc", json: "{\"e\u{301}\":1,\"\u{e9}\":2}")
        try home.collection.save(document: document)
        let copy = try read().toMutable()
        copy["new"].int = 3
        copy["\u{e9}"].int = 4
        try home.collection.save(document: copy)
        #expect(try read().toJSON() == "{\"e\u{301}\":1,\"new\":3,\"\u{e9}\":4}")
    }
}
