import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §4.3: reading from arrays; setting, adding and inserting elements.
@Suite struct ArrayDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    /// Reads only through the protocol, each getter with its official type.
    private func check<T: ArrayProtocol>(_ value: T) {
        let any: Any? = value.value(at: 0)
        let string: String? = value.string(at: 1)
        let number: NSNumber? = value.number(at: 2)
        let int: Int = value.int(at: 3)
        let int64: Int64 = value.int64(at: 4)
        let float: Float = value.float(at: 5)
        let double: Double = value.double(at: 6)
        let boolean: Bool = value.boolean(at: 7)
        let date: Date? = value.date(at: 8)
        let blob: Blob? = value.blob(at: 9)
        let array: ArrayObject? = value.array(at: 10)
        let dictionary: DictionaryObject? = value.dictionary(at: 11)
        let fragment: Fragment = value[1]
        let plain: [Any] = value.toArray()
        #expect(value.count == 12 && plain.count == 12)
        #expect(any is NSNull)
        #expect(string == "text" && fragment.string == "text")
        #expect(number == 7)
        #expect(int == -1 && int64 == .max && float == 1.5 && double == 0.1 && boolean)
        #expect(date == Date(timeIntervalSince1970: 1))
        #expect(blob?.content == Data([1]))
        #expect(array?.count == 1)
        #expect(dictionary?.string(forKey: "k") == "v")
    }

    private let blob = Blob(contentType: "a/b", data: Data([1]))

    @Test func `add supports every type and returns the array`() throws {
        let array = MutableArrayObject()
        let same: MutableArrayObject = array.addValue(nil).addString("text").addNumber(7)
            .addInt(-1).addInt64(.max).addFloat(1.5).addDouble(0.1).addBoolean(true)
            .addDate(Date(timeIntervalSince1970: 1)).addBlob(blob)
            .addArray(MutableArrayObject(data: [1]))
            .addDictionary(MutableDictionaryObject(data: ["k": "v"]))
        #expect(same === array)
        check(array)
        let collection = try place.open().defaultCollection()
        try collection.save(document: MutableDocument(id: "d").setArray(array, forKey: "a"))
        let read = try #require(try collection.document(id: "d")?.array(forKey: "a"))
        check(read)
        #expect(read.toJSON().hasPrefix("[null,\"text\",7,-1,"))
        #expect(read == array)
    }

    @Test func `insert supports every type and inserts before the index`() {
        let array = MutableArrayObject()
        array.insertDictionary(MutableDictionaryObject(data: ["k": "v"]), at: 0)
        array.insertArray(MutableArrayObject(data: [1]), at: 0)
        array.insertBlob(blob, at: 0)
        array.insertDate(Date(timeIntervalSince1970: 1), at: 0)
        array.insertBoolean(true, at: 0)
        array.insertDouble(0.1, at: 0)
        array.insertFloat(1.5, at: 0)
        array.insertInt64(.max, at: 0)
        array.insertInt(-1, at: 0)
        array.insertNumber(7, at: 0)
        array.insertString("text", at: 0)
        array.insertValue(nil, at: 0)
        check(array)
    }

    @Test func `set supports every type and replaces the item`() throws {
        let array = MutableArrayObject(data: [Any](repeating: 0, count: 13))
        array.setValue(nil, at: 0)
        array.setString("text", at: 1)
        array.setNumber(7, at: 2)
        array.setInt(-1, at: 3)
        array.setInt64(.max, at: 4)
        array.setFloat(1.5, at: 5)
        array.setDouble(0.1, at: 6)
        array.setBoolean(true, at: 7)
        array.setDate(Date(timeIntervalSince1970: 1), at: 8)
        array.setBlob(blob, at: 9)
        array.setArray(MutableArrayObject(data: [1]), at: 10)
        array.setDictionary(MutableDictionaryObject(data: ["k": "v"]), at: 11)
        array.removeValue(at: 12)
        check(array)
        array.setData([1, 2])
        #expect(array.toArray() as? [Int] == [1, 2])
        try array.setJSON("[3]")
        #expect(array.int(at: 0) == 3)
    }

    @Test func `the array classes have their official members`() throws {
        let _: (ArrayObject) -> () -> MutableArrayObject = ArrayObject.toMutable
        let _: (ArrayObject) -> () -> String = ArrayObject.toJSON
        let _: (ArrayObject) -> () -> [Any] = ArrayObject.toArray
        let _: () -> MutableArrayObject = MutableArrayObject.init
        let _: ([Any]) -> MutableArrayObject = MutableArrayObject.init(data:)
        let _: (String) throws -> MutableArrayObject = MutableArrayObject.init(json:)
        let _: (MutableArrayObject, Int) -> MutableFragment = { $0[$1] }
        let _: (MutableArrayObject) -> (Int) -> MutableArrayObject? = MutableArrayObject.array(at:)
        let _: (MutableArrayObject) -> (Int) -> MutableDictionaryObject? =
            MutableArrayObject.dictionary(at:)
        func accept<T: ArrayProtocol & ArrayFragment & Equatable & Hashable & Sequence>(
            _ value: T
        ) -> [Any] where T.Element == Any { value.map { $0 } }
        let array: ArrayObject = MutableArrayObject(data: [1, "x", NSNull()])
        #expect(accept(array).count == 3)
        let elements: AnyIterator<Any> = array.makeIterator()
        #expect(elements.next() as? Int == 1)
        #expect(array == MutableArrayObject(data: [1, "x", NSNull()]))
        #expect(Set([array, MutableArrayObject(data: [1, "x", NSNull()])]).count == 1)
        #expect(code { _ = try MutableArrayObject(json: "{}") } == CBLError.invalidJSON)
        #expect(code { try MutableArrayObject().setJSON("1") } == CBLError.invalidJSON)
        func mutable<T: MutableArrayProtocol>(_ value: T) -> T { value }
        #expect(mutable(MutableArrayObject()).count == 0)
    }

    @Test func `a setter stores nil as null`() {
        let array = MutableArrayObject()
        array.addString(nil).addNumber(nil).addDate(nil).addBlob(nil).addArray(nil)
        array.addDictionary(nil)
        array.insertString(nil, at: 0).insertDate(nil, at: 0).insertBlob(nil, at: 0)
        array.insertArray(nil, at: 0).insertDictionary(nil, at: 0).insertNumber(nil, at: 0)
        array.setString(nil, at: 0).setDate(nil, at: 1).setBlob(nil, at: 2).setArray(nil, at: 3)
        array.setDictionary(nil, at: 4).setNumber(nil, at: 5)
        #expect(array.count == 12)
        #expect(array.toArray().allSatisfy { $0 is NSNull })
    }
}
