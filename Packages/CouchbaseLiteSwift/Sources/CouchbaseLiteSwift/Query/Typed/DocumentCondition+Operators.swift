import DivanQuery
import Foundation

/// Whether a property equals a value; `nil` equals null and a missing property.
public func == <Model: Decodable, Value: Encodable & Equatable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition {
        try .equality(DocumentProperty(property).expression, value, isNegated: false)
    }
}

/// Whether a property differs from a value; null and a missing property only equal `nil`.
public func != <Model: Decodable, Value: Encodable & Equatable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition {
        try .equality(DocumentProperty(property).expression, value, isNegated: true)
    }
}

/// Whether a property is less than a value.
public func < <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .less, value) }
}

/// Whether an optional property has a value that is less than another one.
public func < <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value?> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .less, value) }
}

/// Whether a property is at most a value.
public func <= <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .lessOrEqual, value) }
}

/// Whether an optional property has a value that is at most another one.
public func <= <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value?> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .lessOrEqual, value) }
}

/// Whether a property is greater than a value.
public func > <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .greater, value) }
}

/// Whether an optional property has a value that is greater than another one.
public func > <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value?> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .greater, value) }
}

/// Whether a property is at least a value.
public func >= <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .greaterOrEqual, value) }
}

/// Whether an optional property has a value that is at least another one.
public func >= <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value?> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .greaterOrEqual, value) }
}

extension QueryExpression {
    /// Creates the expression for a value as a save would write it.
    init(comparing value: some Encodable) throws {
        self.init(try ModelEncoder.encode(value: value))
    }

    /// Equality as in Swift: either true or false for every value.
    static func equality(
        _ property: QueryExpression,
        _ value: some Encodable,
        isNegated: Bool
    ) throws -> QueryExpression {
        let value = try QueryExpression(comparing: value)
        if case .literal(.null) = value.form {
            let isValued = QueryExpression(.isValued(property))
            return isNegated ? isValued : QueryExpression(.not(isValued))
        }
        // With MISSING an equality is MISSING, which never passes; an index needs "=".
        return QueryExpression(.comparison(isNegated ? .notSame : .equal, property, value))
    }

    /// Whether a property equals one of several values, as ``equality(_:_:isNegated:)`` means it.
    static func isOne(
        of values: [QueryExpression],
        _ property: QueryExpression
    ) -> QueryExpression {
        let others = values.filter { $0.form != .literal(.null) }
        let list = QueryExpression(.array(others))
        let isOther = QueryExpression(.isIn(property, list, isNegated: false))
        guard others.count < values.count else { return isOther }
        return either(isOther, QueryExpression(.not(QueryExpression(.isValued(property)))))
    }

    /// Whether a condition is false, null or missing.
    static func isNotTrue(_ condition: QueryExpression) -> QueryExpression {
        let isTrue = QueryExpression(.literal(.boolean(true)))
        return QueryExpression(.comparison(.notSame, condition, isTrue))
    }

    /// Both conditions, as one chain: pairs inside of pairs would soon be nested too deep.
    static func both(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        QueryExpression(
            .and(
                [left, right].flatMap { side in
                    if case .and(let terms) = side.form { terms } else { [side] }
                }
            )
        )
    }

    /// One condition or the other, as one chain.
    static func either(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        QueryExpression(
            .or(
                [left, right].flatMap { side in
                    if case .or(let terms) = side.form { terms } else { [side] }
                }
            )
        )
    }

    /// An ordering comparison between values of one type.
    ///
    /// In the query language numbers come before strings, and strings before null and all else. So the open side is
    /// bounded by the first string, or by null; an index still finds the range.
    static func order<Value: Encodable>(
        _ property: QueryExpression,
        _ comparison: QueryComparison,
        _ value: Value
    ) throws -> QueryExpression {
        let value = try QueryExpression(comparing: value)
        let order = QueryExpression(.comparison(comparison, property, value))
        let isLess = comparison == .less || comparison == .lessOrEqual
        let firstText = QueryExpression(.literal(.string("")))
        let behindTexts = QueryExpression(.literal(.null))
        let bound: QueryExpression.Form
        switch value.form {
        case .literal(.integer), .literal(.double):
            if isLess { return order }
            bound = .comparison(.less, property, firstText)
        case .literal(.string):
            bound =
                isLess
                ? .comparison(.greaterOrEqual, property, firstText)
                : .comparison(.less, property, behindTexts)
        default:
            throw NSError(
                CBLError.invalidParameter,
                "\(Value.self) cannot be ordered in a query: it is not stored as a number or string"
            )
        }
        return QueryExpression(.and([order, QueryExpression(bound)]))
    }
}
