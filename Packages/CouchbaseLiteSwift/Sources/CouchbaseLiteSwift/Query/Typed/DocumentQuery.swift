import DivanJSON
import DivanQuery
import DivanRevisions
import Foundation

extension Collection {
    /// Returns a query for the documents of a type that meet a condition, in an order.
    ///
    /// ```swift
    /// let cheap = chairs.documents(of: Chair.self, where: \.price < 100, orderBy: .descending(\.price))
    /// for chair in try cheap.all() { print(chair.id, chair.content.name) }
    /// ```
    ///
    /// Does not read documents or throw yet. Without orders, documents are returned as they are found. Documents that
    /// compare equal are sorted by ID. An addition to the official API.
    ///
    /// - Parameters:
    ///   - type: The type to decode each document as.
    ///   - condition: `nil` for all documents.
    ///   - orders: The first one takes precedence.
    ///   - limit: The maximum number of documents; `nil` for all.
    /// - Returns: The query, which can be executed any number of times, or page by page.
    public func documents<Model: Decodable>(
        of type: Model.Type,
        where condition: DocumentCondition<Model>? = nil,
        orderBy orders: DocumentOrder<Model>...,
        limit: Int? = nil
    ) -> DocumentQuery<Model> {
        DocumentQuery(collection: self, condition: condition, orders: orders, limit: limit)
    }

    /// Returns a query for the documents of a type that meet a condition, in ascending order of a property.
    ///
    /// See ``documents(of:where:orderBy:limit:)-(_,_,DocumentOrder<Model>...,_)``.
    public func documents<Model: Decodable, Value: Comparable>(
        of type: Model.Type,
        where condition: DocumentCondition<Model>? = nil,
        orderBy property: any KeyPath<Model, Value> & Sendable,
        limit: Int? = nil
    ) -> DocumentQuery<Model> {
        documents(of: type, where: condition, orderBy: .ascending(property), limit: limit)
    }
}

/// A query for documents of one type; see `Collection.documents(of:where:orderBy:limit:)`.
///
/// `for try await` iterates over a snapshot of the documents as they are found, in constant memory unless they are
/// sorted without an index; see ``ResultStream``.
public struct DocumentQuery<Model: Decodable>: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = TypedDocument<Model>

    let collection: Collection
    let condition: DocumentCondition<Model>?
    let orders: [DocumentOrder<Model>]
    let limit: Int?

    // MARK: Now

    /// Returns the current documents.
    ///
    /// - Throws: `CBLError.invalidParameter` for a key path or value that a query cannot use; `decodingError` for a
    ///   document that does not match the type; `notOpen`.
    public func all() throws -> [TypedDocument<Model>] {
        try query().execute().map { try document($0) }
    }

    /// Returns the first document, or `nil` if it does not exist.
    ///
    /// - Throws: The same errors as ``all()``.
    public func first() throws -> TypedDocument<Model>? {
        let one = DocumentQuery(
            collection: collection,
            condition: condition,
            orders: orders,
            limit: Swift.min(limit ?? 1, 1)
        )
        return try one.all().first
    }

    /// Returns the number of documents that meet the condition; the limit is ignored.
    ///
    /// - Throws: The same errors as ``all()``, except that no document is decoded.
    public func count() throws -> Int {
        var statement = try statement()
        statement.columns = [QueryColumn(QueryExpression(.aggregate(.count, nil)))]
        statement.orderings = []
        statement.limit = nil
        return try query(statement).execute().next()?.int(at: 0) ?? 0
    }

    // MARK: Later

    /// Returns the current documents, and all documents again each time a commit changes them.
    ///
    /// Works like ``Query/changes()``; throws if a document does not match the type.
    public func changes() throws -> DocumentChanges<Model> {
        DocumentChanges(query: self, changes: try query().changes())
    }

    /// Returns an iterator, which starts the query with its first step.
    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    /// Iterates over the documents.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: DocumentQuery
        private var rows: ResultStream.Iterator?

        fileprivate init(query: DocumentQuery) {
            self.query = query
        }

        /// Returns the next document, or `nil` after the last one.
        ///
        /// - Throws: The same errors as ``DocumentQuery/all()``; `CancellationError` when the task was cancelled.
        public mutating func next() async throws -> TypedDocument<Model>? {
            var rows = try rows ?? query.query().stream().makeAsyncIterator()
            let row = try await rows.next()
            self.rows = rows
            return try row.map { try query.document($0) }
        }
    }

    // MARK: Inside

    /// Returns an ordinary query, for example to explain it.
    ///
    /// Its columns are the ID, the revision, the sequence and the body.
    ///
    /// - Throws: `CBLError.invalidParameter` for a key path or value that a query cannot use.
    public func query() throws -> any Query { try query(statement()) }

    func query(_ statement: QueryStatement) -> any Query {
        TextQuery(QueryCore(statement, of: collection.database))
    }

    /// The columns that hold the parts of a document.
    private enum Column: Int, CaseIterable {
        case id
        case revisionID
        case sequence
        case body

        var expression: QueryExpression {
            switch self {
            case .id: DocumentProperty.documentID
            case .revisionID: DocumentProperty.metadata("revisionID")
            case .sequence: DocumentProperty.metadata("sequence")
            case .body: QueryExpression(.everything(of: QueryPath([.key(DocumentProperty.source)])))
            }
        }
    }

    func statement() throws -> QueryStatement {
        var source = BuiltSource(collection).source
        source.alias = DocumentProperty.source
        var orderings = try orders.map { try $0.ordering() }
        if !orderings.isEmpty { orderings.append(QueryOrdering(DocumentProperty.documentID)) }
        return QueryStatement(
            columns: Column.allCases.map { QueryColumn($0.expression) },
            sources: [source],
            filter: try condition?.tree.get(),
            orderings: orderings,
            limit: limit.map { QueryExpression(.literal(.integer(Int64($0)))) }
        )
    }

    func document(_ row: Result) throws -> TypedDocument<Model> {
        guard let id = row.string(at: Column.id.rawValue),
            let revisionID = row.string(at: Column.revisionID.rawValue).flatMap({ RevisionID($0) }),
            case .container(let body) = row.stored(at: Column.body.rawValue)
        else {
            throw NSError(CBLError.corruptData, "a document in the query's result is damaged")
        }
        let sequence = UInt64(clamping: row.int64(at: Column.sequence.rawValue))
        let document = Document(
            id: StoredID(unchecked: id),
            state: RevisionState(revisionID: revisionID, sequence: sequence, isTombstone: false),
            body: body,
            collection: collection
        )
        return try TypedDocument(document)
    }
}

/// The documents of a query after each relevant commit, for `for try await`; see ``DocumentQuery/changes()``.
public struct DocumentChanges<Model: Decodable>: AsyncSequence {
    /// All documents at that time.
    public typealias Element = [TypedDocument<Model>]

    fileprivate let query: DocumentQuery<Model>
    fileprivate let changes: AsyncThrowingStream<QueryChange, any Error>

    /// Returns an iterator; the sequence has only one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(query: query, changes: changes.makeAsyncIterator())
    }

    /// Iterates over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let query: DocumentQuery<Model>
        fileprivate var changes: AsyncThrowingStream<QueryChange, any Error>.Iterator

        /// Returns the documents after the next commit, or `nil` after the database is closed.
        public mutating func next() async throws -> [TypedDocument<Model>]? {
            guard let change = try await changes.next() else { return nil }
            return try change.results?.map { try query.document($0) } ?? []
        }
    }
}
