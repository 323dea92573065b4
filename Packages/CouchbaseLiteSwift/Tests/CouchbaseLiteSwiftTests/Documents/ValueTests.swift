import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §3: how values are read, and what comes back from the store.
@Suite struct ValueTests {
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

    @Test func `each type is read back as itself`() throws {
        for document in try bothStates(["s": "text", "i": 42, "d": 1.5, "b": true, "n": NSNull()]) {
            #expect(document.string(forKey: "s") == "text")
            #expect(document.int(forKey: "i") == 42)
            #expect(document.int64(forKey: "i") == 42)
            #expect(document.double(forKey: "d") == 1.5)
            #expect(document.float(forKey: "d") == 1.5)
            #expect(document.number(forKey: "i") == 42)
            #expect(document.boolean(forKey: "b"))
            #expect(document.value(forKey: "n") is NSNull)
            #expect(document.count == 5)
            #expect(Set(document.keys) == ["s", "i", "d", "b", "n"])
            #expect(Set(document) == ["s", "i", "d", "b", "n"])
        }
    }

    @Test func `reading a value as the wrong type returns nil or zero`() throws {
        for document in try bothStates(["s": "12", "i": 42, "a": [1], "d": ["k": 1]]) {
            #expect(document.string(forKey: "i") == nil)
            #expect(document.int(forKey: "s") == 0)
            #expect(document.double(forKey: "a") == 0)
            #expect(document.number(forKey: "s") == nil)
            #expect(document.array(forKey: "d") == nil)
            #expect(document.dictionary(forKey: "a") == nil)
            #expect(document.blob(forKey: "d") == nil)
            #expect(document.date(forKey: "s") == nil)
            #expect(document.value(forKey: "absent") == nil)
        }
    }

    @Test func `true is read as one, and fractions are truncated`() throws {
        for document in try bothStates(["t": true, "f": false, "d": 1.9, "m": -1.9, "h": 1e300]) {
            #expect(document.int(forKey: "t") == 1)
            #expect(document.double(forKey: "t") == 1)
            #expect(document.int(forKey: "f") == 0)
            #expect(document.number(forKey: "t") == true)
            #expect(document.int(forKey: "d") == 1)
            #expect(document.int(forKey: "m") == -1)
            #expect(document.int64(forKey: "h") == .max)
        }
    }

    @Test func `only missing values, null, false and zero are read as false`() throws {
        let data: [String: Any] = [
            "null": NSNull(), "false": false, "zero": 0, "zero.zero": 0.0,
            "text": "false", "empty": "", "one": 1, "tiny": 0.1, "array": [Any](),
            "dictionary": [String: Any](), "blob": Blob(contentType: "a/b", data: Data()),
        ]
        for document in try bothStates(data) {
            for key in ["absent", "null", "false", "zero", "zero.zero"] {
                #expect(!document.boolean(forKey: key), "\(key)")
            }
            for key in ["text", "empty", "one", "tiny", "array", "dictionary", "blob"] {
                #expect(document.boolean(forKey: key), "\(key)")
            }
        }
    }

    @Test func `setting nil stores null, and removing deletes the key`() throws {
        let document = MutableDocument(data: ["a": 1, "b": 2])
        document.setString(nil, forKey: "a").removeValue(forKey: "b")
        #expect(document.contains(key: "a"))
        #expect(document.value(forKey: "a") is NSNull)
        #expect(!document.contains(key: "b"))
        #expect(document.count == 1)
    }

    @Test func `numbers and booleans in Any are NSNumber`() throws {
        for document in try bothStates(["i": 1, "b": true, "d": 2.5]) {
            let values = document.toDictionary()
            #expect(values["i"] as? Int == 1)
            #expect(values["i"] as? Double == 1)
            #expect(values["i"] as? Int64 == 1)
            #expect(values["b"] as? Bool == true)
            #expect(values["d"] as? Double == 2.5)
            #expect(values["d"] as? Int == nil)
            #expect(document.value(forKey: "i") is NSNumber)
        }
    }

    @Test func `integers keep their 64 bits, signed and unsigned`() throws {
        let data: [String: Any] = ["min": Int64.min, "max": Int64.max, "umax": UInt64.max]
        for document in try bothStates(data) {
            #expect(document.int64(forKey: "min") == .min)
            #expect(document.int64(forKey: "max") == .max)
            #expect(document.number(forKey: "umax")?.uint64Value == .max)
            #expect(document.int64(forKey: "umax") == .max)
        }
    }

    @Test func `a double without a fraction stays a double`() throws {
        let document = MutableDocument(id: "doc")
        document.setDouble(1, forKey: "d").setInt(1, forKey: "i")
        try home.collection.save(document: document)
        let read = try #require(try home.collection.document(id: "doc"))
        #expect(read.toJSON() == #"{"d":1.0,"i":1}"#)
    }

    @Test func `every Swift and Foundation number type is accepted`() throws {
        let data: [String: Any] = [
            "int8": Int8(-1), "uint16": UInt16(2), "uint32": UInt32(3), "float": Float(1.5),
            "number": NSNumber(value: 7), "true": NSNumber(value: true), "bool": false,
        ]
        for document in try bothStates(data) {
            #expect(document.int(forKey: "int8") == -1)
            #expect(document.int(forKey: "uint16") == 2)
            #expect(document.int(forKey: "uint32") == 3)
            #expect(document.float(forKey: "float") == 1.5)
            #expect(document.int(forKey: "number") == 7)
            #expect(document.toDictionary()["true"] as? Bool == true)
            #expect(document.toDictionary()["bool"] as? Bool == false)
        }
    }

    @Test func `an optional in Any is stored as its value or as null`() throws {
        let (some, none): (Int?, Int?) = (7, nil)
        for document in try bothStates(["some": some as Any, "none": none as Any]) {
            #expect(document.int(forKey: "some") == 7)
            #expect(document.value(forKey: "none") is NSNull)
        }
    }

    @Test func `a document can be read from many threads at once`() throws {
        let document = try #require(
            try bothStates(["d": ["l": [1, 2, 3]], "b": Data([1, 2])]).last
        )
        let total = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            let bytes = document.blob(forKey: "b")?.content?.reduce(0) { $0 + Int($1) }
            let sum = document["d"]["l"][2].int + (bytes ?? 0)
            total.withLock { $0 += sum }
        }
        #expect(total.withLock { $0 } == 64 * 6)
    }

    @Test func `Data is stored as a blob`() throws {
        for document in try bothStates(["data": Data("bytes".utf8)]) {
            #expect(document.blob(forKey: "data")?.content == Data("bytes".utf8))
            #expect(document.blob(forKey: "data")?.contentType == "application/octet-stream")
        }
    }

    @Test func `plain collections can be nested to any depth`() throws {
        let data: [String: Any] = [
            "texts": ["a", "b"], "numbers": ["x": 1, "y": 2],
            "deep": [["k": [1, 2, ["z": true]]] as [String: Any]],
        ]
        for document in try bothStates(data) {
            #expect(document.array(forKey: "texts")?.string(at: 1) == "b")
            #expect(document.dictionary(forKey: "numbers")?.int(forKey: "y") == 2)
            #expect(document["deep"][0]["k"][2]["z"].boolean)
        }
    }

    @Test func `toDictionary is recursive and keeps blobs as objects`() throws {
        let blob = Blob(contentType: "a/b", data: Data([1]))
        for document in try bothStates(["d": ["a": [1, blob] as [Any]]]) {
            let inner = document.toDictionary()["d"] as? [String: Any]
            let array = inner?["a"] as? [Any]
            #expect(array?.first as? Int == 1)
            #expect(array?.last as? Blob == blob)
        }
    }

    @Test func `a document converts to and from JSON`() throws {
        let document = try MutableDocument(id: "doc", json: #"{"b":[1,{"c":null}],"a":"x"}"#)
        try home.collection.save(document: document)
        let read = try #require(try home.collection.document(id: "doc"))
        #expect(read.toJSON() == #"{"a":"x","b":[1,{"c":null}]}"#)
        #expect(read.array(forKey: "b")?.toJSON() == #"[1,{"c":null}]"#)
        #expect(read["b"][1].dictionary?.toJSON() == #"{"c":null}"#)
    }

    @Test(arguments: ["", "{", "[]", "1", "{'a':1}"])
    func `invalid JSON, or a root that is not an object, is rejected`(_ text: String) throws {
        expect(CBLError.invalidJSON) { _ = try MutableDocument(json: text) }
        expect(CBLError.invalidJSON) { _ = try MutableDictionaryObject(json: text) }
        let document = MutableDocument(data: ["kept": 1])
        expect(CBLError.invalidJSON) { try document.setJSON(text) }
        #expect(document.int(forKey: "kept") == 1)
    }

    @Test func `documents are equal if ID, collection and content are`() throws {
        let documents = try bothStates(["a": [1, 2]])
        #expect(documents[0] == documents[1])
        #expect(documents[0].hashValue == documents[1].hashValue)
        #expect(MutableDocument(id: "doc", data: ["a": [1, 2]]) != documents[1])
        #expect(documents[1].toMutable().setInt(1, forKey: "b") != documents[1])
    }
}
