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
