@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
internal import DivanQuery
internal import DivanRevisions
public import Foundation

extension DocumentCollection {
    /// Returns a query for the documents of a type that meet a condition, in an order.
    ///
    /// ```swift
    /// let open = notes.documents(where: #Predicate<Note> { !$0.done }, orderBy: .descending(\.date))
    /// print(try open.count(), try open.all())
    /// ```
    ///
    /// Reads nothing yet. A predicate can compare stored properties with values and with each other, calculate, test
    /// parts of strings, items of arrays and ranges, use keys and indexes, and combine conditions. For anything else,
    /// such as a computed property or `filter`, running the query throws ``DivanError/Code/invalidArgument``. Documents
    /// that compare equal are sorted by ID.
    ///
    /// - Parameters:
    ///   - type: The type of each result; ``Document`` for any document.
    ///   - predicate: `nil` for all documents.
    ///   - orders: The first one takes precedence; without one, documents are returned as they are found.
    ///   - limit: The maximum number of documents; `nil` for all.
    /// - Returns: The query, which can be run any number of times.
    public func documents<Model: Decodable>(
        of type: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy orders: DocumentOrder<Model>...,
        limit: Int? = nil
    ) -> DocumentQuery<Model> {
        DocumentQuery(self, predicate, orders, limit)
    }

    /// Returns a query for the documents of a type that meet a condition, in ascending order of a property.
    ///
    /// See ``documents(of:where:orderBy:limit:)-(_,_,DocumentOrder<Model>...,_)``.
    public func documents<Model: Decodable, Value: Comparable>(
        of type: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy property: any KeyPath<Model, Value> & Sendable,
        limit: Int? = nil
    ) -> DocumentQuery<Model> {
        DocumentQuery(self, predicate, [.ascending(property)], limit)
    }

    /// Returns a query for the documents of a type that meet a condition, in ascending order of an optional property;
    /// documents without the property come first.
    ///
    /// See ``documents(of:where:orderBy:limit:)-(_,_,DocumentOrder<Model>...,_)``.
    public func documents<Model: Decodable, Value: Comparable>(
        of type: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy property: any KeyPath<Model, Value?> & Sendable,
        limit: Int? = nil
    ) -> DocumentQuery<Model> {
        DocumentQuery(self, predicate, [.ascending(property)], limit)
    }
}

/// A query for documents of one type; see `DocumentCollection.documents(of:where:orderBy:limit:)`.
public struct DocumentQuery<Model: Decodable>: Sendable {
    let collection: DocumentCollection
    private let official: OfficialQuery<Model>
    private let limit: Int?
    private var refinements: [@Sendable (inout QueryStatement) throws -> Void] = []
    /// Whether the best match of a full-text search is first.
    var isRanked = false

    init(
        _ collection: DocumentCollection,
        _ predicate: Predicate<Model>?,
        _ orders: [DocumentOrder<Model>],
        _ limit: Int?
    ) {
        self.collection = collection
        self.limit = limit
        official = collection.official.query(
            where: predicate.map { OfficialCondition($0, idKey: Model.idKey) },
            orderBy: orders.map(\.official),
            limit: limit
        )
    }

    // MARK: Running

    /// Returns the current documents.
    ///
    /// - Throws: ``DivanError/Code/invalidArgument`` for a predicate or order that a query cannot use;
    ///   `decodingFailed` for a document that does not match the type; `notOpen`.
    public func all() throws -> [Model] { try all(in: nil) }

    /// The documents: of the newest state, or of the one that `reader` sees.
    func all(in reader: StoreReader?) throws -> [Model] {
        try DivanError.converting(place: collection.place) {
            var models: [Model] = []
            try runnable().forEachRow(in: reader) { models.append(try model($0)) }
            return models
        }
    }

    /// Returns the first document, or `nil` if there is none.
    ///
    /// - Throws: The same errors as `all()`.
    public func first() throws -> Model? {
        try limited(to: min(limit ?? 1, 1)).all().first
    }

    /// Returns the number of documents that `all()` would return.
    ///
    /// - Throws: The same errors as `all()`, except that no document is decoded.
    public func count() throws -> Int {
        try DivanError.converting(place: collection.place) {
            var statement = try statement()
            statement.columns = [QueryColumn(QueryExpression(.aggregate(.count, nil)))]
            statement.orderings = []
            statement.limit = nil
            let rows = try RunnableQuery(statement, of: collection.database).rows()
            let count = try rows.value(as: Int.self) ?? 0
            return limit.map { min($0, count) } ?? count
        }
    }

    /// Calls `body` with each document as it is found, in constant memory unless the query sorts without an index.
    ///
    /// - Throws: The same errors as `all()`; errors thrown by `body`, unchanged.
    public func forEachDocument(_ body: (Model) throws -> Void) throws {
        try forEachDocument(QueryControl(), body)
    }

    /// Calls `body` with each document as it is found, until `control` is cancelled.
    func forEachDocument(_ control: QueryControl, _ body: (Model) throws -> Void) throws {
        try DivanError.passing(to: body, place: collection.place) { pass in
            try runnable().forEachRow(control) { try pass(model($0)) }
        }
    }

    /// Returns at most `size` documents after a position.
    ///
    /// Documents are found by their keys, not by counting: none is repeated or skipped if others are added or removed
    /// between pages. The limit of the query is ignored.
    ///
    /// ```swift
    /// var page = try query.page(of: 20)
    /// while let next = page.next { page = try query.page(of: 20, after: next) }
    /// ```
    ///
    /// - Parameters:
    ///   - size: At least 1.
    ///   - position: ``DocumentPage/next`` of the page before; `nil` for the first page.
    /// - Returns: The page.
    /// - Throws: ``DivanError/Code/invalidArgument`` for a size below 1, a position of another query, or a query that is
    ///   sorted by rank; the same errors as `all()`.
    public func page(
        of size: Int,
        after position: String? = nil
    ) throws -> DocumentPage<Model> {
        guard !isRanked else { throw rankedPage }
        return try DivanError.converting(place: collection.place) {
            var page = try official.pageStatement(of: size, after: position)
            for refine in refinements { try refine(&page.statement) }
            var models: [Model] = []
            var keys: [JSON?] = []
            try RunnableQuery(page.statement, of: collection.database).forEachRow { row in
                models.append(try model(row))
                keys = row.dropFirst(page.firstKeyColumn).map(\.json)
            }
            let next = models.count == size ? try official.position(behind: keys) : nil
            return DocumentPage(documents: models, next: next)
        }
    }

    /// Describes how the query runs; see `Database.explain(_:_:)`.
    ///
    /// - Throws: The same errors as `all()`.
    public func explain() throws -> String {
        try DivanError.converting(place: collection.place) {
            try runnable().explanation()
        }
    }

    // MARK: Inside

    /// A rank is not a property of a document, so it cannot identify the next page.
    private var rankedPage: DivanError {
        DivanError(
            .invalidArgument,
            place: collection.place,
            problem: "documents that are sorted by rank cannot be read page by page",
            remedy: "pass isRanked: false to matching, or use a limit"
        )
    }

    /// A query that a refinement changes before it runs.
    func refined(_ refine: @escaping @Sendable (inout QueryStatement) throws -> Void) -> Self {
        var query = self
        query.refinements.append(refine)
        return query
    }

    func limited(to count: Int) -> Self {
        refined { $0.limit = QueryExpression(.literal(.integer(Int64(count)))) }
    }

    func statement() throws -> QueryStatement {
        var statement = try official.baseStatement()
        for refine in refinements { try refine(&statement) }
        return statement
    }

    func runnable() throws -> RunnableQuery {
        try RunnableQuery(statement(), of: collection.database)
    }

    /// Creates a result from the columns of a row: ID, revision, sequence, body.
    func model(_ row: [QueryValue]) throws -> Model {
        guard row.count >= 4, case .string(let id) = row[0], case .string(let revision) = row[1],
            case .integer(let sequence) = row[2], case .container(let body) = row[3],
            let revisionID = RevisionID(ofAnyScheme: revision)
        else {
            throw DivanError(.corrupt, place: collection.place, problem: "a document is damaged")
        }
        let database = collection.database.official
        if Model.self == Document.self {
            let revision = Revision(revisionID, sequence: UInt64(clamping: sequence))
            let document = Document(id: id, revision: revision, text: body, in: database)
            if let model = document as? Model { return model }
        }
        let contents = BlobContents(database: database)
        return try ModelReader.read(Model.self, body, id: id, contents: contents)
    }
}

/// A page of the documents of a query.
public struct DocumentPage<Model> {
    /// The documents.
    public let documents: [Model]
    /// The position of the next page, as text, for example for a link; `nil` if this is the last page.
    public let next: String?
}

extension DocumentPage: Sendable where Model: Sendable {}
extension DocumentPage: Equatable where Model: Equatable {}
