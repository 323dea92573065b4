import DivanQuery
import Foundation

/// Whether a property equals a value; `nil` equals null and what is not there.
public func == <Model: Decodable, Value: Encodable & Equatable>(
    property: any KeyPath<Model, Value> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition {
        try .equality(DocumentProperty(property).expression, value, isNegated: false)
    }
}

/// Whether a property differs from a value; null and what is not there differ from all but `nil`.
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

/// Whether a property has a value, which is less than another one.
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

/// Whether a property has a value, which is at most another one.
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

/// Whether a property has a value, which is greater than another one.
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

/// Whether a property has a value, which is at least another one.
public func >= <Model: Decodable, Value: Encodable & Comparable>(
    property: any KeyPath<Model, Value?> & Sendable,
    value: Value
) -> DocumentCondition<Model> {
    DocumentCondition { try .order(DocumentProperty(property).expression, .greaterOrEqual, value) }
}

extension QueryExpression {
    /// A value as a save would write it.
    init(comparing value: some Encodable) throws {
        self.init(try ModelEncoder.encode(value: value))
    }

    /// An equality as Swift has it, true or false of everything.
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
        // MISSING would make an equality MISSING, which no condition lets pass; an index needs "=".
        return QueryExpression(.comparison(isNegated ? .notSame : .equal, property, value))
    }

    /// A comparison in order, of values of one type.
    ///
    /// In the language numbers come before texts, and texts before null and all else. So the side
    /// that is open ends with the first text, or with null; an index still finds the range.
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
                "\(Value.self) is stored as neither number nor text: it has no order in a query"
            )
        }
        return QueryExpression(.and([order, QueryExpression(bound)]))
    }
}
