@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanJSON
internal import DivanQuery

extension DocumentQuery {
    /// The documents of this query that contain words, the best match first.
    ///
    /// ```swift
    /// try notes.documents(of: Note.self, limit: 20).matching("milk AND bread", index: "words").all()
    /// ```
    ///
    /// Documents that match equally well are in the order of the query.
    ///
    /// - Parameters:
    ///   - text: Words, `"phrases in quotation marks"`, prefixes such as `mil*`, and `AND`, `OR`, `NOT`; for text that a
    ///     user entered, ``Index/searchText(escaping:completing:)``.
    ///   - index: The name of a text index (``Index/text(_:language:ignoresAccents:where:)``).
    ///   - isRanked: Whether the best match is first; with `false`, the documents are in the order of the query, which
    ///     `page(of:after:)` requires.
    /// - Returns: The query, which throws ``DivanError/Code/missingIndex`` if the index does not exist, and
    ///   `invalidQuery` for a text such as one with a single quotation mark.
    public func matching(_ text: String, index: String, isRanked: Bool = true) -> Self {
        var query = refined { statement in
            let path = QueryPath([.key("d"), .key(ExactText(index))])
            let words = QueryExpression(.literal(.string(text)))
            let match = QueryExpression(.match(index: path, words))
            statement.filter = QueryExpression.both(match, statement.filter)
            guard isRanked else { return }
            let rank = QueryOrdering(QueryExpression(.rank(index: path)), isDescending: true)
            statement.orderings.insert(rank, at: 0)
        }
        query.isRanked = query.isRanked || isRanked
        return query
    }

    /// The documents of this query with the vectors that are nearest to another one, and their distances.
    ///
    /// ```swift
    /// let similar = try photos.documents(of: Photo.self).nearest(to: face, in: "embedding", limit: 5)
    /// ```
    ///
    /// - Parameters:
    ///   - vector: The vector from which distances are measured.
    ///   - property: The path of the property with the vectors, for which a vector index exists
    ///     (``Index/vectors(_:dimensions:centroids:metric:isLazy:)``).
    ///   - limit: The maximum number of documents.
    /// - Returns: The documents with their distances, the nearest first.
    /// - Throws: ``DivanError/Code/missingIndex``; the same errors as `all()`.
    public func nearest(
        to vector: [Float],
        in property: String,
        limit: Int = 10
    ) throws -> [(document: Model, distance: Double)] {
        try DivanError.converting(place: collection.place) {
            var statement = try statement()
            let path = QueryPath([.key("d")] + (try QueryPath(text: property)).steps)
            let distance = QueryExpression.distance(
                of: QueryExpression(.property(path)),
                from: vector
            )
            statement.columns.append(QueryColumn(distance))
            statement.orderings = [QueryOrdering(distance)]
            statement.limit = QueryExpression(.literal(.integer(Int64(limit))))
            var found: [(document: Model, distance: Double)] = []
            try RunnableQuery(statement, of: collection.database).forEachRow { row in
                guard let distance = row.last?.json?.double else { return }
                found.append((try model(row), distance))
            }
            return found
        }
    }
}

extension DocumentCollection {
    /// Returns the documents that contain words, the best match first; see ``DocumentQuery/matching(_:index:isRanked:)``.
    ///
    /// - Throws: ``DivanError/Code/missingIndex``; `invalidQuery`; `decodingFailed`; `notOpen`.
    public func search<Model: Decodable>(
        _ text: String,
        index: String,
        as type: Model.Type = Document.self,
        limit: Int? = nil
    ) throws -> [Model] {
        try documents(of: type, limit: limit).matching(text, index: index).all()
    }

    /// Returns the documents with the nearest vectors; see `DocumentQuery.nearest(to:in:limit:)`.
    ///
    /// - Throws: ``DivanError/Code/missingIndex``; `decodingFailed`; `notOpen`.
    public func nearest<Model: Decodable>(
        to vector: [Float],
        in property: String,
        limit: Int = 10,
        as type: Model.Type = Document.self
    ) throws -> [(document: Model, distance: Double)] {
        try documents(of: type).nearest(to: vector, in: property, limit: limit)
    }
}

extension QueryExpression {
    fileprivate static func both(_ first: Self, _ second: Self?) -> Self {
        guard let second else { return first }
        // One chain: a full-text condition must be one of its terms.
        if case .and(let terms) = second.form { return Self(.and([first] + terms)) }
        return Self(.and([first, second]))
    }
}
