import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §1 and §4.3: reading from dictionaries and setting members.
@Suite struct DictionaryDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    /// Reads only through the protocol, each getter with its official type.
    private func check<T: DictionaryProtocol>(_ value: T) {
        let count: Int = value.count
        let keys: [String] = value.keys
        let any: Any? = value.value(forKey: "value")
        let string: String? = value.string(forKey: "string")
        let number: NSNumber? = value.number(forKey: "number")
        let int: Int = value.int(forKey: "int")
        let int64: Int64 = value.int64(forKey: "int64")
        let float: Float = value.float(forKey: "float")
        let double: Double = value.double(forKey: "double")
        let boolean: Bool = value.boolean(forKey: "boolean")
        let date: Date? = value.date(forKey: "date")
        let blob: Blob? = value.blob(forKey: "blob")
        let array: ArrayObject? = value.array(forKey: "array")
        let dictionary: DictionaryObject? = value.dictionary(forKey: "dictionary")
        let fragment: Fragment = value["string"]
        #expect(count == 12)
        #expect(keys.count == 12)
        #expect(any is NSNull)
        #expect(string == "text")
        #expect(number == 7)
        #expect(int == -1 && int64 == .max && float == 1.5 && double == 0.1 && boolean)
        #expect(date == Date(timeIntervalSince1970: 1))
        #expect(blob?.content == Data([1]))
        #expect(array?.count == 1)
        #expect(dictionary?.string(forKey: "k") == "v")
        #expect(fragment.string == "text")
        #expect(value.contains(key: "value") && !value.contains(key: "absent"))
        #expect((value.toDictionary() as [String: Any]).count == 12)
    }

    /// Sets only through the protocol; each setter returns the container itself.
    private func fill<T: MutableDictionaryProtocol & AnyObject>(_ value: T) throws -> T {
        let same: T = value.setValue(nil, forKey: "value")
            .setString("text", forKey: "string")
            .setNumber(7, forKey: "number")
            .setInt(-1, forKey: "int")
            .setInt64(.max, forKey: "int64")
            .setFloat(1.5, forKey: "float")
            .setDouble(0.1, forKey: "double")
            .setBoolean(true, forKey: "boolean")
            .setDate(Date(timeIntervalSince1970: 1), forKey: "date")
            .setBlob(Blob(contentType: "a/b", data: Data([1])), forKey: "blob")
            .setArray(MutableArrayObject(data: [1]), forKey: "array")
            .setDictionary(MutableDictionaryObject(data: ["k": "v"]), forKey: "dictionary")
            .setInt(0, forKey: "gone")
            .removeValue(forKey: "gone")
        #expect(same === value)
        return value
    }

    /// Edits nested containers only through the protocols.
    private func edit(_ value: MutableDictionaryProtocol) {
        guard let dictionary = value.dictionary(forKey: "d"), let array = value.array(forKey: "a")
        else { return }
        dictionary.setInt(1, forKey: "edited")
        let elements: MutableArrayProtocol = array
        elements.dictionary(at: 0)?.setInt(2, forKey: "edited")
        elements.array(at: 1)?.addInt(3)
    }

    @Test func `containers read through the mutable protocols can be edited`() throws {
        let data: [String: Any] = ["d": [String: Any](), "a": [[String: Any](), [Any]()]]
        let document = MutableDocument(id: "d", data: data)
        edit(document)
        try place.open().defaultCollection().save(document: document)
        let read = try #require(try place.open().defaultCollection().document(id: "d"))
        #expect(read.toJSON() == #"{"a":[{"edited":2},[3]],"d":{"edited":1}}"#)
    }

    @Test func `every getter and setter has its official type`() throws {
        let dictionary = try fill(MutableDictionaryObject())
        check(dictionary)
        let document = try fill(MutableDocument(id: "d"))
        check(document)
        let database = try place.open()
        try database.defaultCollection().save(document: document)
        let read = try #require(try database.defaultCollection().document(id: "d"))
        check(read)
        check(read.toMutable())
    }

    @Test func `setters accept nil, and their results can be ignored`() throws {
        let document = MutableDocument()
        document.setValue(nil, forKey: "a")
        document.setString(nil, forKey: "b")
        document.setNumber(nil, forKey: "c")
        document.setDate(nil, forKey: "d")
        document.setBlob(nil, forKey: "e")
        document.setArray(nil, forKey: "f")
        document.setDictionary(nil, forKey: "g")
        #expect(document.keys.count == 7)
        #expect(document.toDictionary().values.allSatisfy { $0 is NSNull })
        document.removeValue(forKey: "a")
        document.setData(["x": 1])
        try document.setJSON(#"{"y":2}"#)
        #expect(document.keys == ["y"])
    }

    @Test func `every supported type can be set and read back`() throws {
        let blob = Blob(contentType: "text/plain", data: Data("x".utf8))
        let data: [String: Any] = [
            "string": "s", "nsstring": NSString("n"), "int": 1, "int8": Int8(-8), "uint8": UInt8(8),
            "int16": Int16(-16), "uint16": UInt16(16), "int32": Int32(-32), "uint32": UInt32(32),
            "int64": Int64.min, "uint64": UInt64.max, "uint": UInt(5), "float": Float(0.5),
            "double": 0.25, "bool": true, "number": NSNumber(value: 9), "null": NSNull(),
            "date": Date(timeIntervalSince1970: 0), "nsdate": NSDate(timeIntervalSince1970: 0),
            "data": Data([1, 2]), "nsdata": NSData(data: Data([1, 2])), "blob": blob,
            "dictionary": ["k": "v"], "array": [1, "two"] as [Any],
            "nsdictionary": NSDictionary(dictionary: ["k": "v"]), "nsarray": NSArray(array: [1]),
            "object": MutableDictionaryObject(data: ["k": 1]),
            "list": MutableArrayObject(data: [1]),
            "strings": ["a"], "numbers": ["n": 1.5], "nested": [["a": [1]]],
        ]
        let document = MutableDocument(id: "d", data: data)
        #expect(document.count == data.count)
        #expect(document.value(forKey: "string") as? String == "s")
        #expect(document.value(forKey: "nsstring") as? String == "n")
        for key in ["int", "int8", "uint64", "float", "bool", "number"] {
            #expect(document.value(forKey: key) is NSNumber, "\(key)")
        }
        #expect(document.int(forKey: "int8") == -8)
        #expect(document.value(forKey: "null") is NSNull)
        #expect(document.value(forKey: "date") as? String == "1970-01-01T00:00:00.000Z")
        #expect(document.string(forKey: "nsdate") == "1970-01-01T00:00:00.000Z")
        #expect(document.blob(forKey: "data")?.contentType == "application/octet-stream")
        #expect(document.blob(forKey: "nsdata")?.content == Data([1, 2]))
        #expect(document.value(forKey: "blob") as? Blob == blob)
        for key in ["dictionary", "nsdictionary", "object", "numbers"] {
            #expect(document.value(forKey: key) is MutableDictionaryObject, "\(key)")
        }
        for key in ["array", "nsarray", "list", "strings", "nested"] {
            #expect(document.value(forKey: key) is MutableArrayObject, "\(key)")
        }
        let collection = try place.open().defaultCollection()
        try collection.save(document: document)
        let read = try #require(try collection.document(id: "d"))
        #expect(read.value(forKey: "dictionary") is DictionaryObject)
        #expect(!(read.value(forKey: "dictionary") is MutableDictionaryObject))
        #expect(read.value(forKey: "array") is ArrayObject)
        #expect(read == document)
    }

    @Test func `the dictionary classes have their official members`() throws {
        let _: (DictionaryObject) -> () -> MutableDictionaryObject = DictionaryObject.toMutable
        let _: (DictionaryObject) -> () -> String = DictionaryObject.toJSON
        let _: () -> MutableDictionaryObject = MutableDictionaryObject.init
        let _: ([String: Any]) -> MutableDictionaryObject = MutableDictionaryObject.init(data:)
        let _: (String) throws -> MutableDictionaryObject = MutableDictionaryObject.init(json:)
        let _: (MutableDictionaryObject) -> (String) -> MutableArrayObject? =
            MutableDictionaryObject.array(forKey:)
        let _: (MutableDictionaryObject) -> (String) -> MutableDictionaryObject? =
            MutableDictionaryObject.dictionary(forKey:)
        let _: (MutableDictionaryObject, String) -> MutableFragment = { $0[$1] }
        func accept<T: DictionaryProtocol & Equatable & Hashable & Sequence>(_: T) -> Bool {
            T.Element.self == String.self
        }
        let dictionary: DictionaryObject = try MutableDictionaryObject(json: #"{"a":1}"#)
        #expect(accept(dictionary))
        #expect(dictionary == MutableDictionaryObject(data: ["a": 1]))
        #expect(Set([dictionary, MutableDictionaryObject(data: ["a": 1])]).count == 1)
    }
}
