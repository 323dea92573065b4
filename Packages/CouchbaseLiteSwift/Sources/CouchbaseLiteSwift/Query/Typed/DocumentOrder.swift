import DivanQuery

/// A sort order for the documents of a query.
///
/// In ascending order, documents without the property come first, then numbers, strings and null.
public struct DocumentOrder<Model: Decodable>: Sendable {
    let key: Swift.Result<QueryExpression, any Error>
    let isDescending: Bool

    /// Sorts by a property in ascending order.
    public static func ascending<Value: Comparable>(
        _ property: any KeyPath<Model, Value> & Sendable
    ) -> Self {
        Self(key: Swift.Result { try DocumentProperty(property).expression }, isDescending: false)
    }

    /// Sorts by a property in ascending order, after documents without a value.
    public static func ascending<Value: Comparable>(
        _ property: any KeyPath<Model, Value?> & Sendable
    ) -> Self {
        Self(key: Swift.Result { try DocumentProperty(property).expression }, isDescending: false)
    }

    /// Sorts by a property in descending order.
    public static func descending<Value: Comparable>(
        _ property: any KeyPath<Model, Value> & Sendable
    ) -> Self {
        Self(key: Swift.Result { try DocumentProperty(property).expression }, isDescending: true)
    }

    /// Sorts by a property in descending order, after documents with null.
    public static func descending<Value: Comparable>(
        _ property: any KeyPath<Model, Value?> & Sendable
    ) -> Self {
        Self(key: Swift.Result { try DocumentProperty(property).expression }, isDescending: true)
    }

    /// Sorts by the bytes of the document ID.
    public static var byID: Self {
        Self(key: .success(DocumentProperty.documentID), isDescending: false)
    }

    /// Sorts by the distance of a property's vector from another one, the nearest first.
    ///
    /// ```swift
    /// let near = notes.documents(
    ///     of: Note.self,
    ///     where: \.year > 2020,
    ///     orderBy: .distance(of: \.vector, from: target),
    ///     limit: 10
    /// )
    /// ```
    ///
    /// Requires a vector index on the property, and uses its metric. Documents without a valid vector are left out. The
    /// query needs a limit of at most 10,000 if it has no condition, and cannot be read in pages.
    ///
    /// - Parameters:
    ///   - property: The vectors: arrays of numbers, or base64 text of little-endian 32-bit floats.
    ///   - target: The vector from which distances are measured.
    /// - Returns: The order.
    public static func distance<Vector: Equatable>(
        of property: any KeyPath<Model, Vector> & Sendable,
        from target: [Float]
    ) -> Self {
        Self(
            key: Swift.Result {
                QueryExpression.distance(
                    of: try DocumentProperty(property).expression,
                    from: target
                )
            },
            isDescending: false
        )
    }

    func ordering() throws -> QueryOrdering {
        QueryOrdering(try key.get(), isDescending: isDescending)
    }

    /// Whether this order puts a document after one whose key is `value`.
    func isBehind(_ value: QueryExpression) throws -> QueryExpression {
        let key = try key.get()
        let missing = QueryExpression(.literal(.missing))
        if case .literal(.missing) = value.form {
            guard !isDescending else { return QueryExpression(.literal(.boolean(false))) }
            return QueryExpression(.comparison(.notSame, key, missing))
        }
        guard isDescending else { return QueryExpression(.comparison(.greater, key, value)) }
        return QueryExpression(
            .or([
                QueryExpression(.comparison(.less, key, value)),
                QueryExpression(.comparison(.same, key, missing)),
            ])
        )
    }

    /// Whether a document's key is also `value`.
    func isLevel(with value: QueryExpression) throws -> QueryExpression {
        QueryExpression(.comparison(.same, try key.get(), value))
    }
}
