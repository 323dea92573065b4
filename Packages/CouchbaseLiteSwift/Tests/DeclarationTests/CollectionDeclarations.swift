import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// `api-map.md` §3, without the index calls, which are with the queries.
@Suite struct CollectionDeclarations {
    private let place: Place
    let database: Database
    let collection: Collection

    init() throws {
        place = try Place()
        database = try place.open()
        collection = try database.createCollection(name: "hotels", scope: "inventory")
    }

    @Test func `Collection is equatable, hashable and observable`() throws {
        func accept<T: CollectionChangeObservable & Equatable & Hashable>(_ value: T) -> T { value }
        #expect(accept(collection) == collection)
        let same = try database.collection(name: "hotels", scope: "inventory")
        #expect(Set([collection, try #require(same)]).count == 1)
        #expect(collection != (try database.defaultCollection()))
    }

    @Test func `Collection has its official properties`() {
        let _: KeyPath<Collection, String> = \.name
        let _: KeyPath<Collection, String> = \.fullName
        let _: KeyPath<Collection, Scope> = \.scope
        let _: KeyPath<Collection, Database> = \.database
        let _: KeyPath<Collection, UInt64> = \.count
        let _: (String) -> DocumentFragment = { [collection] in collection[$0] }
        #expect(Collection.defaultCollectionName == "_default")
        #expect(collection.fullName == "inventory.hotels")
        #expect(collection.scope.name == "inventory")
        #expect(collection.database === database)
    }

    @Test func `Collection saves, deletes and purges`() throws {
        let _: (Collection) -> (String) throws -> Document? = Collection.document(id:)
        let _: (Collection) -> (MutableDocument) throws -> Void = Collection.save(document:)
        let _: (Collection) -> (MutableDocument, ConcurrencyControl) throws -> Bool =
            Collection.save(document:concurrencyControl:)
        let _:
            (Collection) -> (MutableDocument, @escaping (MutableDocument, Document?) -> Bool) throws
                -> Bool = Collection.save(document:conflictHandler:)
        let _: (Collection) -> (Document) throws -> Void = Collection.delete(document:)
        let _: (Collection) -> (Document, ConcurrencyControl) throws -> Bool =
            Collection.delete(document:concurrencyControl:)
        let _: (Collection) -> (Document) throws -> Void = Collection.purge(document:)
        let _: (Collection) -> (String) throws -> Void = Collection.purge(id:)
        let _: (Collection) -> (String, Date?) throws -> Void =
            Collection.setDocumentExpiration(id:expiration:)
        let _: (Collection) -> (String) throws -> Date? = Collection.getDocumentExpiration(id:)
    }

    @Test func `Collection has listeners, whose tokens can be ignored`() {
        let _: (Collection) -> (@escaping @Sendable (CollectionChange) -> Void) -> ListenerToken =
            Collection.addChangeListener(listener:)
        let _:
            (Collection) -> (DispatchQueue?, @escaping @Sendable (CollectionChange) -> Void) ->
                ListenerToken =
                Collection.addChangeListener(queue:listener:)
        let _:
            (Collection) -> (String, @escaping @Sendable (DocumentChange) -> Void) -> ListenerToken =
                Collection.addDocumentChangeListener(id:listener:)
        let _:
            (Collection) -> (String, DispatchQueue?, @escaping @Sendable (DocumentChange) -> Void)
                -> ListenerToken = Collection.addDocumentChangeListener(id:queue:listener:)
        let observable: CollectionChangeObservable = collection
        observable.addChangeListener { (change: CollectionChange) in _ = change.documentIDs }
        observable.addChangeListener(queue: nil) { _ in }
        collection.addDocumentChangeListener(id: "d") { (change: DocumentChange) in
            _ = change.collection
        }
        collection.addDocumentChangeListener(id: "d", queue: nil) { _ in }
    }

    @Test func `Collection saves and reads models`() {
        let _: (Collection) -> (String, Hotel.Type) throws -> Hotel? = Collection.document(id:as:)
        let _: (Collection) -> (Hotel) throws -> Void = Collection.save(from:)
        let _: (Collection) -> (Hotel, ConcurrencyControl) throws -> Bool =
            Collection.save(from:concurrencyControl:)
        let _: (Collection) -> (Hotel, @escaping (Hotel, Hotel?) -> Bool) throws -> Bool =
            Collection.save(from:conflictHandler:)
        let _: (Collection) -> (Hotel) throws -> Void = Collection.delete(for:)
        let _: (Collection) -> (Hotel, ConcurrencyControl) throws -> Bool =
            Collection.delete(for:concurrencyControl:)
        let _: (Collection) -> (Hotel) throws -> Void = Collection.purge(for:)
    }

    @Test func `changes have their official members`() {
        let _: KeyPath<CollectionChange, Collection> = \.collection
        let _: KeyPath<CollectionChange, [String]> = \.documentIDs
        let _: KeyPath<DocumentChange, String> = \.documentID
        let _: KeyPath<DocumentChange, Collection> = \.collection
    }

    @Test func `errors have the documented codes`() throws {
        let new = MutableDocument()
        #expect(code { try collection.delete(document: new) } == CBLError.notFound)
        #expect(code { try collection.purge(document: new) } == CBLError.notFound)
        #expect(code { try collection.purge(id: "none") } == CBLError.notFound)
        #expect(
            code { try collection.setDocumentExpiration(id: "none", expiration: nil) }
                == CBLError.notFound
        )
        for id in ["", "_a", "a\u{1}b", "a\u{7F}", String(repeating: "é", count: 121)] {
            let bad = MutableDocument(id: id)
            #expect(code { try collection.save(document: bad) } == CBLError.badDocID, "\(id)")
        }
        for key in ["_id", "_rev", "_deleted"] {
            let bad = MutableDocument(data: [key: "x"])
            let expected = CBLError.corruptRevisionData
            #expect(code { try collection.save(document: bad) } == expected, "\(key)")
        }
        let elsewhere = MutableDocument(id: "d")
        try database.defaultCollection().save(document: elsewhere)
        #expect(code { try collection.save(document: elsewhere) } == CBLError.invalidParameter)
        #expect(code { try collection.delete(document: elsewhere) } == CBLError.invalidParameter)
        #expect(code { try collection.purge(document: elsewhere) } == CBLError.invalidParameter)
        #expect(
            code { _ = try database.createCollection(name: "_x") } == CBLError.invalidParameter
        )
        #expect(
            code { try database.deleteCollection(name: "_default") } == CBLError.invalidParameter
        )
        try database.deleteCollection(name: "hotels", scope: "inventory")
        #expect(code { _ = try collection.document(id: "d") } == CBLError.notOpen)
        #expect(collection.count == 0)
    }
}

/// A model as in applications.
final class Hotel: Codable {
    @DocumentID var id: String?
    var name: String

    init(id: String? = nil, name: String) {
        self.name = name
        self.id = id
    }
}
