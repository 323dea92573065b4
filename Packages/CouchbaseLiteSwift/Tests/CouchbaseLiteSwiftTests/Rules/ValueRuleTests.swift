import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §3, the rules about equality, strings and odd values.
@Suite struct ValueRuleTests {
    let home: TemporaryDatabase

    init() throws {
        home = try TemporaryDatabase()
    }

    /// The document as set, and as read back from the store.
    private func bothStates(_ data: [String: Any]) throws -> [Document] {
        let document = MutableDocument(id: "doc", data: data)
        try home.collection.save(document: document)
        return [document, try #require(try home.collection.document(id: "doc"))]
    }

    @Test func `dates are strings in toDictionary`() throws {
        let date = Date(timeIntervalSince1970: 1_520_339_696.789)
        for document in try bothStates(["date": date, "list": [date]]) {
            let values = document.toDictionary()
            #expect(values["date"] as? String == "2018-03-06T12:34:56.789Z")
            #expect(values["list"] as? [String] == ["2018-03-06T12:34:56.789Z"])
            #expect(document.date(forKey: "date") == date)
        }
    }

    @Test func `toJSON writes blobs as their metadata with @type`() throws {
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        let document = try bothStates(["blob": blob])[1]
        #expect(
            document.toJSON()
                == #"{"blob":{"@type":"blob","content_type":"text/plain","#
                + #""digest":"sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=","length":5}}"#
        )
    }

    @Test func `any non-empty string can be a property name`() throws {
        let names = [
            " ", ".", "$", "a.b", "ключ", "🛋", "\"", "\\", "\u{1}", "\n", "\u{7F}", "@type",
            String(repeating: "k", count: 5_000),
        ]
        let data = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        for document in try bothStates(data) {
            #expect(Set(document.keys) == Set(names))
            for (name, value) in data { #expect(document.int(forKey: name) == value, "\(name)") }
        }
    }

    @Test(arguments: 0..<0x20)
    func `a key can contain any control character`(_ code: Int) throws {
        let key = "a" + String(UnicodeScalar(UInt8(code))) + "b"
        for document in try bothStates([key: [key: "value"]]) {
            #expect(document[key][key].string == "value")
        }
    }

    @Test func `booleans stay booleans, and numbers never become booleans`() throws {
        let numbers: [String: Any] = [
            "int8": Int8(-8), "small": Int8(1), "zero": Int8(0), "uint8": UInt8(200),
            "one": NSNumber(value: 1), "int": 1,
        ]
        for document in try bothStates(numbers) {
            #expect(document.int(forKey: "int8") == -8)
            #expect(document.int(forKey: "uint8") == 200)
        }
        let json = try bothStates(numbers)[1].toJSON()
        #expect(json == #"{"int":1,"int8":-8,"one":1,"small":1,"uint8":200,"zero":0}"#)
        let booleans = try bothStates(["yes": true, "no": NSNumber(value: false)])[1]
        #expect(booleans.toJSON() == #"{"no":false,"yes":true}"#)
    }

    @Test func `numbers keep 64 bits, and single or double precision`() throws {
        let data: [String: Any] = [
            "max": Int64.max, "min": Int64.min, "above": UInt64(Int64.max) + 1,
            "single": Float(0.1), "double": 0.1, "tiny": Double.leastNonzeroMagnitude,
            "huge": Double.greatestFiniteMagnitude, "graphic": CGFloat(2.5),
        ]
        for document in try bothStates(data) {
            #expect(document.int64(forKey: "max") == .max && document.int64(forKey: "min") == .min)
            #expect(document.number(forKey: "above")?.uint64Value == 1 << 63)
            #expect(document.float(forKey: "single") == 0.1)
            #expect(document.double(forKey: "double") == 0.1)
            #expect(document.double(forKey: "tiny") == .leastNonzeroMagnitude)
            #expect(document.double(forKey: "huge") == .greatestFiniteMagnitude)
            #expect(document.double(forKey: "graphic") == 2.5)
        }
    }

    @Test(arguments: [Float(0.1), -9.99, 1.0 / 3, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    func `a Float is read back exactly`(_ float: Float) throws {
        let data: [String: Any] = ["f": float, "n": NSNumber(value: float), "l": [float]]
        for document in try bothStates(data) {
            #expect(document.value(forKey: "f") as? Float == float)
            #expect(document.number(forKey: "n")?.floatValue == float)
            #expect(document.double(forKey: "n") == Double(float))
            #expect(document.toDictionary()["f"] as? Float == float)
            #expect(document.array(forKey: "l")?.value(at: 0) as? Float == float)
        }
        try home.collection.save(document: MutableDocument(id: "set").setFloat(float, forKey: "f"))
        #expect(try home.collection.document(id: "set")?.value(forKey: "f") as? Float == float)
    }

    @Test func `JSON integers are read back as integers, and fractions as fractions`() throws {
        let document = try MutableDocument(id: "doc", json: #"{"i":3,"f":3.5,"w":3.0,"e":3e2}"#)
        try home.collection.save(document: document)
        for document in [document, try #require(try home.collection.document(id: "doc"))] {
            #expect(document.value(forKey: "i") as? Int == 3)
            #expect(document.value(forKey: "f") as? Int == nil)
            #expect(document.value(forKey: "f") as? Double == 3.5)
            #expect(document.int(forKey: "w") == 3 && document.int(forKey: "e") == 300)
        }
    }

    @Test func `containers are compared by content: numbers by value, blobs by digest or content`()
    {
        let one = MutableDictionaryObject(data: ["n": 1, "a": [1, 2.0] as [Any]])
        let same = MutableDictionaryObject(data: ["n": 1.0, "a": [1.0, 2]])
        #expect(one == same && one.hashValue == same.hashValue)
        // As with `NSNumber`, true is 1.
        let truths: [Any] = [true, 1, 1.0, NSNumber(value: true)]
        for (left, right) in zip(truths, truths.dropFirst()) {
            #expect(MutableArrayObject(data: [left]) == MutableArrayObject(data: [right]))
            #expect(MutableArrayObject(data: [[left]]) != MutableArrayObject(data: [[false]]))
        }
        #expect(MutableArrayObject(data: [true]) != MutableArrayObject(data: [2]))
        #expect(MutableArrayObject(data: [false]) == MutableArrayObject(data: [0]))
        #expect(MutableArrayObject(data: [false]) != MutableArrayObject(data: [NSNull()]))
        func holder(_ byte: UInt8) -> MutableArrayObject {
            MutableArrayObject(data: [Blob(contentType: "a/b", data: Data([byte]))])
        }
        #expect(holder(1) == holder(1))
        #expect(holder(1) != holder(2), "two new blobs of one length")
        #expect(MutableArrayObject(data: [NSNull()]) != MutableArrayObject(data: [0]))
        #expect(MutableArrayObject(data: [[Any]()]) != MutableArrayObject(data: [[String: Any]()]))
    }

    @Test func `a container can contain itself but cannot be saved or converted`()
        async throws
    {
        let loop = MutableDictionaryObject()
        loop.setDictionary(loop, forKey: "self")
        #expect(loop["self"]["self"].dictionary === loop)
        expect(CBLError.invalidParameter) {
            try home.collection.save(document: MutableDocument().setDictionary(loop, forKey: "l"))
        }
        await #expect(processExitsWith: .failure) {
            let loop = MutableArrayObject()
            loop.addArray(loop)
            _ = loop.toArray()
        }
        await #expect(processExitsWith: .failure) {
            let loop = MutableDictionaryObject()
            loop.setArray(MutableArrayObject().addDictionary(loop), forKey: "a")
            _ = loop.toMutable()
        }
    }

    @Test func `saving a document nested too deeply fails without crashing`() throws {
        var inner = MutableArrayObject()
        for _ in 0..<500 { inner = MutableArrayObject().addArray(inner) }
        let document = MutableDocument(id: "doc").setArray(inner, forKey: "a")
        expect(CBLError.invalidParameter) { try home.collection.save(document: document) }
        #expect(document.toDictionary().count == 1)
        let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        expect(CBLError.invalidJSON) { _ = try MutableArrayObject(json: text) }
    }

    @Test func `a value of an unsupported type is a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            MutableDocument().setValue(UUID(), forKey: "id")
        }
        await #expect(processExitsWith: .failure) {
            _ = MutableDocument(data: ["set": Set([1])])
        }
        await #expect(processExitsWith: .failure) {
            _ = MutableArrayObject(data: [1]).value(at: 1)
        }
        await #expect(processExitsWith: .failure) {
            _ = MutableDocument().toJSON()
        }
        await #expect(processExitsWith: .failure) {
            _ = Blob(contentType: "a/b", data: Data()).toJSON()
        }
    }

    @Test func `a shared container is shared only until the document is read again`()
        throws
    {
        let shared = MutableArrayObject(data: [1])
        let document = MutableDocument(id: "doc")
        document.setArray(shared, forKey: "a").setArray(shared, forKey: "b")
        document.array(forKey: "a")?.addInt(2)
        #expect(document.array(forKey: "b")?.count == 2)
        try home.collection.save(document: document)
        let read = try #require(try home.collection.document(id: "doc")).toMutable()
        read.array(forKey: "a")?.addInt(3)
        #expect(read.array(forKey: "b")?.count == 2)
    }

    @Test func `iteration yields each key once, in any order`() throws {
        let data = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key\($0)", $0) })
        for document in try bothStates(data) {
            let seen = document.map { $0 }
            #expect(seen.count == 50 && Set(seen) == Set(data.keys))
            #expect(document.keys.sorted() == seen.sorted())
        }
    }
}
