internal import DivanDatabase
internal import DivanJSON
internal import DivanRevisions

/// A consistent view of the documents of a database at one moment; see `Database.read(_:)`.
///
/// Only valid inside its block and on its thread; afterwards, every call throws ``DivanError/Code/notOpen``.
public struct Snapshot {
    private let reader: StoreReader
    /// The database that is read.
    public let database: Database

    init(_ reader: StoreReader, of database: Database) {
        self.reader = reader
        self.database = database
    }

    /// Returns a document, or `nil` if it does not exist or is deleted.
    ///
    /// - Throws: ``DivanError``.
    public func get(
        _ id: String,
        in collection: DocumentCollection
    ) throws -> Document? {
        try stored(id, in: collection).map { Document($0, in: database.official) }
    }

    /// Returns a document as a type, or `nil` if it does not exist or is deleted.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed``.
    public func get<Model: Decodable>(
        _ id: String,
        in collection: DocumentCollection,
        as type: Model.Type = Model.self
    ) throws -> Model? {
        guard let stored = try stored(id, in: collection) else { return nil }
        return try collection.decode(type, stored)
    }

    /// Returns the number of documents that are not deleted.
    ///
    /// - Throws: ``DivanError``.
    public func count(in collection: DocumentCollection) throws -> Int {
        try DivanError.converting(place: collection.place) {
            try reader.count(in: collection.path)
        }
    }

    /// Calls `body` with each document of a collection, in ascending order of ID, without deleted ones.
    ///
    /// Memory use does not depend on the number of documents.
    ///
    /// - Throws: ``DivanError/Code/corrupt`` at the first damaged document; errors thrown by `body`, unchanged.
    public func forEachDocument(
        in collection: DocumentCollection,
        _ body: (Document) throws -> Void
    ) throws {
        try DivanError.passing(to: body, place: collection.place) { pass in
            try reader.forEachDocument(in: collection.path) { _, error in
                throw error
            } _: { stored in
                try pass(Document(stored, in: database.official))
            }
        }
    }

    /// The rows of a query at the moment of the snapshot; see `Database.query(_:_:)`.
    ///
    /// The collections and indexes of the query must still exist.
    ///
    /// - Throws: The same errors as `Database.query(_:_:)`.
    public func query(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:]
    ) throws -> Rows {
        try DivanError.converting(place: database.place) {
            try RunnableQuery(sql: sql, parameters, of: database).rows(in: reader)
        }
    }

    /// The documents of a query at the moment of the snapshot.
    ///
    /// ```swift
    /// try db.read { snapshot in
    ///     let open = try snapshot.all(orders.documents(where: #Predicate<Order> { !$0.isPaid }))
    ///     let total = try snapshot.query("SELECT SUM(price) FROM orders").value(as: Double.self)
    /// }
    /// ```
    ///
    /// - Throws: ``DivanError/Code/invalidArgument`` for a query of another database; the same errors as
    ///   `DocumentQuery.all()`.
    public func all<Model>(_ query: DocumentQuery<Model>) throws -> [Model] {
        guard query.collection.database.official === database.official else {
            throw DivanError(
                .invalidArgument,
                place: query.collection.place,
                problem: "the query is of another database than the snapshot",
                remedy: "create it from a collection of the same database"
            )
        }
        return try query.all(in: reader)
    }

    private func stored(
        _ id: String,
        in collection: DocumentCollection
    ) throws -> StoredDocument? {
        try DivanError.converting(place: collection.place(of: id)) {
            try reader.document(StoredID(unchecked: id), in: collection.path)
        }
    }
}
