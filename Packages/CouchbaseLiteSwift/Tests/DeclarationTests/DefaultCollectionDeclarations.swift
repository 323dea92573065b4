import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// `api-map.md` §2.1, the deprecated half: documents of the default collection through `Database`, and remains of 2.x.
@Suite struct DefaultCollectionDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `Database has its deprecated members`() throws {
        let older: any Older = DefaultCollectionCode(place: place)
        try older.run()
    }
}

private struct DefaultCollectionCode {
    let place: Place

    @available(*, deprecated)
    fileprivate func declarations() {
        let _: KeyPath<Database, UInt64> = \.count
        let _: (Database) -> (String) -> Document? = Database.document(withID:)
        let _: (Database) -> (String) -> DocumentFragment = { database in { database[$0] } }
        let _: (Database) -> (MutableDocument) throws -> Void = Database.saveDocument(_:)
        let _: (Database) -> (MutableDocument, ConcurrencyControl) throws -> Bool =
            Database.saveDocument(_:concurrencyControl:)
        let _:
            (Database) -> (MutableDocument, @escaping (MutableDocument, Document?) -> Bool) throws
                -> Bool = Database.saveDocument(_:conflictHandler:)
        let _: (Database) -> (Document) throws -> Void = Database.deleteDocument(_:)
        let _: (Database) -> (Document, ConcurrencyControl) throws -> Bool =
            Database.deleteDocument(_:concurrencyControl:)
        let _: (Database) -> (Document) throws -> Void = Database.purgeDocument(_:)
        let _: (Database) -> (String) throws -> Void = Database.purgeDocument(withID:)
        let _: (Database) -> (String, Date?) throws -> Void =
            Database.setDocumentExpiration(withID:expiration:)
        let _: (Database) -> (String) -> Date? = Database.getDocumentExpiration(withID:)
        let _: (Database) -> (@escaping @Sendable (DatabaseChange) -> Void) -> ListenerToken =
            Database.addChangeListener(_:)
        let _:
            (Database) -> (DispatchQueue?, @escaping @Sendable (DatabaseChange) -> Void) ->
                ListenerToken =
                Database.addChangeListener(withQueue:listener:)
        let _:
            (Database) -> (String, @escaping @Sendable (DocumentChange) -> Void) -> ListenerToken =
                Database.addDocumentChangeListener(withID:listener:)
        let _:
            (Database) -> (String, DispatchQueue?, @escaping @Sendable (DocumentChange) -> Void)
                -> ListenerToken = Database.addDocumentChangeListener(withID:queue:listener:)
        let _: (Database) -> (ListenerToken) -> Void = Database.removeChangeListener(withToken:)
        let _: (LogLevel, LogDomain) -> Void = Database.setLogLevel(_:domain:)
        let _: (Database) -> () throws -> Void = Database.compact
        let _: KeyPath<DatabaseChange, Database> = \.database
        let _: KeyPath<DatabaseChange, [String]> = \.documentIDs
        let _: Log = Database.log
    }
}

extension DefaultCollectionCode: Older {
    @available(*, deprecated)
    func run() throws {
        declarations()
        let database = try place.open()
        let document = MutableDocument(id: "d", data: ["n": 1])
        try database.saveDocument(document)
        // These results may be unused, unlike those of `Collection`.
        try database.saveDocument(document, concurrencyControl: .lastWriteWins)
        try database.saveDocument(document, conflictHandler: { new, current in true })
        try database.deleteDocument(document, concurrencyControl: .failOnConflict)
        database.addChangeListener { (change: DatabaseChange) in _ = change.documentIDs }
        database.addChangeListener(withQueue: nil) { _ in }
        database.addDocumentChangeListener(withID: "d") { _ in }
        database.addDocumentChangeListener(withID: "d", queue: nil) { _ in }
        #expect(database.count == 0)
        #expect(database.document(withID: "d") == nil)
        #expect(!database["d"].exists)
        #expect(database.getDocumentExpiration(withID: "d") == nil)
        try database.purgeDocument(document)
        #expect(code { try database.purgeDocument(withID: "d") } == CBLError.notFound)
        #expect(
            code { try database.setDocumentExpiration(withID: "d", expiration: Date()) }
                == CBLError.notFound
        )
    }
}
