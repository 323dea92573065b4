import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// A stored body is parsed only as far as needed; readers see the same content however they read it.
@Suite struct LazyReadingTests {
    private static let body =
        #"{"array":[1,{"k":"v"}],"blank":null,"date":"2026-11-21T10:00:00.000Z","flag":true,"#
        + #""fraction":2.5,"large":18446744073709551615,"number":42,"object":{"k":[true]},"text":"é"}"#

    private let home: TemporaryDatabase

    init() throws {
        home = try TemporaryDatabase()
        let document = try MutableDocument(id: "doc", json: Self.body)
        try home.collection.save(document: document)
    }

    private func document() throws -> Document {
        try #require(try home.collection.document(id: "doc"))
    }

    private func expectAll(_ document: Document) {
        #expect(document.string(forKey: "text") == "é")
        #expect(document.string(forKey: "number") == nil)
        #expect(document.int(forKey: "number") == 42)
        #expect(document.int64(forKey: "fraction") == 2)
        #expect(document.double(forKey: "fraction") == 2.5)
        #expect(document.float(forKey: "fraction") == 2.5)
        #expect(document.number(forKey: "large") == NSNumber(value: UInt64.max))
        #expect(document.boolean(forKey: "flag") && document.boolean(forKey: "array"))
        #expect(!document.boolean(forKey: "blank") && !document.boolean(forKey: "absent"))
        #expect(document.date(forKey: "date") == Date(timeIntervalSince1970: 1_795_255_200))
        #expect(document.contains(key: "blank") && !document.contains(key: "e"))
        #expect(document.string(forKey: "absent") == nil)
    }

    @Test func `a property has the same value before and after the body is parsed`() throws {
        let unparsed = try document()
        for _ in 0..<4 { expectAll(unparsed) }
        let parsed = try document()
        #expect(parsed.count == 9)
        expectAll(parsed)
        #expect(unparsed == parsed)
    }

    @Test func `a container is the same object each time, even after other reads`() throws {
        let document = try document()
        _ = document.string(forKey: "text")
        let array = try #require(document.array(forKey: "array"))
        for _ in 0..<20 { _ = document.int(forKey: "number") }
        #expect(document.array(forKey: "array") === array)
    }

    @Test func `toDictionary returns the same before and after the body is parsed`() throws {
        let document = try document()
        let early = document.toDictionary()
        #expect(document.count == 9)
        let late = document.toDictionary()
        #expect(early.keys.sorted() == late.keys.sorted())
        for (key, value) in early {
            #expect("\(value)" == "\(try #require(late[key]))")
        }
        #expect((early["object"] as? [String: Any])?["k"] as? [Bool] == [true])
        #expect(early["blank"] is NSNull)
        #expect(early["large"] as? UInt64 == .max)
    }

    @Test func `toDictionary returns blobs as objects`() throws {
        let content = Data("content".utf8)
        let saved = MutableDocument(id: "blob")
        saved.setBlob(Blob(contentType: "text/plain", data: content), forKey: "file")
        saved.setValue([["@type": "other", "k": 1]], forKey: "list")
        try home.collection.save(document: saved)
        let plain = try #require(try home.collection.document(id: "blob")).toDictionary()
        #expect((plain["file"] as? Blob)?.content == content)
        #expect((plain["list"] as? [[String: Any]])?.first?["@type"] as? String == "other")
    }

    @Test func `no property of a damaged body can be read`() throws {
        let store = try Store.open(directory: home.database.path ?? "")
        _ = try store.save("damaged", in: .default, body: Array(#"{"a":1,"b":"#.utf8))
        try store.close()
        for isPlain in [true, false] {
            let document = try #require(try home.collection.document(id: "damaged"))
            if isPlain { #expect(document.toDictionary().isEmpty) }
            #expect(document.int(forKey: "a") == 0)
            #expect(document.count == 0)
        }
    }

    @Test func `several threads can read a document at the same time`() throws {
        let document = try document()
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            for _ in 0..<200 {
                if number % 4 == 0 { #expect(document.toDictionary().count == 9) }
                if number % 4 == 1 { #expect(document.array(forKey: "array")?.count == 2) }
                #expect(document.int(forKey: "number") == 42)
            }
        }
    }
}
