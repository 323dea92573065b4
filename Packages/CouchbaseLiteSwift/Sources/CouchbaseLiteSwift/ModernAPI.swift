public import DivanDatabase
public import DivanJSON
public import DivanQuery
public import Foundation

// What the package `Divan` uses of this one in addition to the public API.

/// The official form of an error of any layer.
@_spi(Modern) public func publicForm(of error: any Error) -> NSError { NSError(from: error) }

extension Collection {
    /// The name in the store.
    @_spi(Modern) public var storePath: CollectionPath { path }

    /// Which of the collections of its name it is; `nil` for the default one.
    @_spi(Modern) public var collectionID: CollectionID? { life.number }

    /// The store of an open collection.
    ///
    /// - Throws: `CBLError.notOpen`.
    @_spi(Modern) public func openedStore() throws -> Store { try openStore() }

    /// Reads from the store, unless the collection was deleted or recreated.
    ///
    /// - Throws: `CBLError.notOpen`; errors of `body`, in their official form.
    @_spi(Modern) public func readStore<Output>(
        _ body: (StoreReader) throws -> Output
    ) throws -> Output {
        try read(body)
    }

    /// Writes to the store, unless the collection was deleted or recreated.
    ///
    /// - Throws: `CBLError.notOpen`; errors of `body`, in their official form.
    @_spi(Modern) public func writeStore<Output>(
        _ body: (StoreWriter) throws -> Output
    ) throws -> Output {
        try write(body)
    }

    /// A query like that of ``documents(of:where:orderBy:limit:)-(_,_,DocumentOrder<Model>...,_)``.
    @_spi(Modern) public func query<Model: Decodable>(
        where condition: DocumentCondition<Model>?,
        orderBy orders: [DocumentOrder<Model>],
        limit: Int?
    ) -> DocumentQuery<Model> {
        DocumentQuery(collection: self, condition: condition, orders: orders, limit: limit)
    }
}

extension DocumentCondition {
    /// The condition in SQL++; `nil` if it is invalid.
    @_spi(Modern) public var text: String? { (try? tree.get())?.sql }
}

extension DocumentOrder {
    /// Sorts by a property; one stored under `idKey` stands for the document's ID.
    @_spi(Modern) public static func by<Value: Equatable>(
        _ property: any KeyPath<Model, Value> & Sendable,
        isDescending: Bool,
        idKey: String?
    ) -> Self {
        Self(
            key: Swift.Result {
                try DocumentProperty(property).place.identified(by: idKey).expression
            },
            isDescending: isDescending
        )
    }

    /// Sorts by a property that is named by its path; one named `idKey` stands for the document's ID.
    @_spi(Modern) public static func by(
        _ path: String,
        isDescending: Bool,
        idKey: String?
    ) -> Self {
        Self(
            key: Swift.Result {
                let path = try translatingErrors { try QueryPath(text: path) }
                return ModelProbe.Place.body(path).identified(by: idKey).expression
            },
            isDescending: isDescending
        )
    }
}

extension DocumentQuery {
    /// The statement, with the columns ID, revision, sequence and body; the source is named `d`.
    @_spi(Modern) public func baseStatement() throws -> QueryStatement { try statement() }

    /// The statement of a page after a position, and the first of the columns from which the next position is made.
    ///
    /// - Throws: `CBLError.invalidParameter`, as ``page(of:after:)``.
    @_spi(Modern) public func pageStatement(
        of size: Int,
        after position: String?
    ) throws -> (statement: QueryStatement, firstKeyColumn: Int) {
        let cursor = try position.map { text in
            guard let cursor = DocumentCursor(text) else {
                throw NSError(
                    CBLError.invalidParameter,
                    "the position of a page is malformed; use the one of the page before"
                )
            }
            return cursor
        }
        return try pageStatement(of: size, after: cursor)
    }

    /// The position behind a row whose keys are given.
    ///
    /// - Throws: `CBLError.invalidParameter`, as ``page(of:after:)``.
    @_spi(Modern) public func position(behind keys: [JSON?]) throws -> String {
        try cursor(behind: keys).text
    }
}

extension Database {
    /// Follows a statement: calls `changed` with all rows now, and whenever a commit changes them.
    ///
    /// `ended` is called once. Returns how to end it.
    @_spi(Modern) public func followRows(
        of statement: QueryStatement,
        parameters: [String: JSON],
        ended: @escaping @Sendable () -> Void,
        _ changed: @escaping @Sendable (Swift.Result<[[QueryValue]], any Error>) -> Void
    ) -> @Sendable () -> Void {
        let query = TextQuery(QueryCore(statement, of: self))
        query.parameters = Parameters(parameters)
        let live = LiveQuery(query, ended: ended) { _, change in
            changed(
                change.error.map { .failure($0) } ?? .success(change.results?.storedRows ?? [])
            )
        }
        live.start()
        return { live.end() }
    }
}

extension Parameters {
    /// Parameters with these values.
    @_spi(Modern) public convenience init(_ parameters: [String: JSON]) {
        self.init()
        for (name, json) in parameters { setValue(json.plainValue(in: nil), forName: name) }
    }
}

extension QueryExpression {
    /// The distance of the vectors of an expression from a vector.
    @_spi(Modern) public static func distance(of vectors: Self, from target: [Float]) -> Self {
        var bytes = Data(capacity: 4 * target.count)
        for number in target {
            for shift in [0, 8, 16, 24] as [UInt32] {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
            }
        }
        // As text, the vector is one value of the query instead of hundreds.
        let text = Self(.literal(.string(bytes.base64EncodedString())))
        return Self(.vectorDistance([vectors, text]))
    }
}
