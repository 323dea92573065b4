import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §4.1 and §4.2.
@Suite struct DocumentDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `Document has its official members`() throws {
        let _: KeyPath<Document, String> = \.id
        let _: KeyPath<Document, String?> = \.revisionID
        let _: KeyPath<Document, UInt64> = \.sequence
        let _: KeyPath<Document, Collection?> = \.collection
        let _: (Document) -> () -> MutableDocument = Document.toMutable
        let _: (Document) -> () -> [String: Any] = Document.toDictionary
        let _: (Document) -> () -> String = Document.toJSON
        let _: (Document) -> () -> IndexingIterator<[String]> = Document.makeIterator
        let _: (Document) -> () -> String? = Document._getRevisionHistory
        let _: (Document, String) -> Fragment = { $0[$1] }
    }

    @Test func `Document is a readable dictionary, equatable, hashable and a sequence of keys`() {
        func accept<T: DictionaryProtocol & DictionaryFragment & Equatable & Hashable & Sequence>(
            _ value: T
        ) -> Set<String> where T.Element == String { Set(value) }
        let document: Document = MutableDocument(data: ["a": 1, "b": 2])
        #expect(accept(document) == ["a", "b"])
        for key in document { #expect(document.contains(key: key)) }
    }

    @Test func `MutableDocument has its official initialisers`() throws {
        let _: () -> MutableDocument = MutableDocument.init
        let _: (String?) -> MutableDocument = MutableDocument.init(id:)
        let _: ([String: Any]) -> MutableDocument = MutableDocument.init(data:)
        let _: (String) throws -> MutableDocument = MutableDocument.init(json:)
        let _: (String?, [String: Any]) -> MutableDocument = MutableDocument.init(id:data:)
        let _: (String?, String) throws -> MutableDocument = MutableDocument.init(id:json:)
        #expect(MutableDocument(id: "d").id == "d")
        #expect(!MutableDocument(id: nil).id.isEmpty)
        #expect(MutableDocument().id != MutableDocument().id)
        #expect(try MutableDocument(id: nil, json: "{}").count == 0)
    }

    @Test func `MutableDocument returns mutable containers`() {
        let _: (MutableDocument) -> (String) -> MutableArrayObject? = MutableDocument.array(forKey:)
        let _: (MutableDocument) -> (String) -> MutableDictionaryObject? =
            MutableDocument.dictionary(forKey:)
        let _: (MutableDocument, String) -> MutableFragment = { $0[$1] }
        func accept<T: MutableDictionaryProtocol>(_ value: T) -> T { value }
        let document = accept(MutableDocument(data: ["a": [1], "d": ["k": "v"]]))
        let readOnly: Document = document
        #expect(readOnly.array(forKey: "a") is MutableArrayObject)
        #expect(readOnly.dictionary(forKey: "d") is MutableDictionaryObject)
        #expect(readOnly["a"] is MutableFragment)
        #expect(document.toMutable() === document)
    }

    @Test func `the revision history lists the newest revision first`() throws {
        let database = try place.open()
        let collection = try database.defaultCollection()
        let document = MutableDocument(id: "d")
        #expect(document._getRevisionHistory() == nil)
        try collection.save(document: document)
        let first = try #require(document.revisionID)
        try collection.save(document: document)
        let second = try #require(document.revisionID)
        #expect(document._getRevisionHistory() == "\(second),\(first)")
    }

    @Test func `malformed JSON and the wrong root throw invalidJSON`() {
        for text in ["", "nonsense", "[]", "1", "\"text\"", "{\"a\":}"] {
            #expect(code { _ = try MutableDocument(json: text) } == CBLError.invalidJSON)
            #expect(code { _ = try MutableDocument(id: "d", json: text) } == CBLError.invalidJSON)
            #expect(code { try MutableDocument().setJSON(text) } == CBLError.invalidJSON)
        }
    }
}
