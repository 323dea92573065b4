import DivanJSON
import DivanQuery
import Foundation

/// A condition on the documents of a model, built from its key paths.
///
/// ```swift
/// \Chair.price < 100 && \.name != "Oslo" && .contains(\.tags, "wood")
/// ```
///
/// Conditions work as in Swift. A comparison is true only for values of the same type, never for null or a missing
/// property (except that false and true count as 0 and 1). `== nil` is true for null and missing properties. `!` is
/// true if its condition is false. Values never become part of the query's text. If a condition is invalid, the query
/// throws.
///
/// An addition to the official API.
public struct DocumentCondition<Model: Decodable>: Sendable {
    let tree: Swift.Result<QueryExpression, any Error>

    init(_ tree: () throws -> QueryExpression) {
        self.tree = Swift.Result(catching: tree)
    }

    /// Both conditions.
    public static func && (left: Self, right: Self) -> Self {
        Self { .both(try left.tree.get(), try right.tree.get()) }
    }

    /// One condition or the other, or both.
    public static func || (left: Self, right: Self) -> Self {
        Self { .either(try left.tree.get(), try right.tree.get()) }
    }

    /// Documents that do not meet the condition.
    public static prefix func ! (condition: Self) -> Self {
        Self { .isNotTrue(try condition.tree.get()) }
    }

    /// Whether a string starts with another one, byte for byte; can use an index.
    public static func hasPrefix(
        _ text: any KeyPath<Model, String> & Sendable,
        _ prefix: String
    ) -> Self {
        Self { try like(text, escaped(prefix) + "%") }
    }

    /// Whether a string contains another one, byte for byte.
    public static func contains(
        _ text: any KeyPath<Model, String> & Sendable,
        _ part: String
    ) -> Self {
        Self { try like(text, "%" + escaped(part) + "%") }
    }

    /// Whether a string matches a pattern: `%` is any text, `_` any character, `\` escapes either.
    public static func like(
        _ text: any KeyPath<Model, String> & Sendable,
        pattern: String
    ) -> Self {
        Self { try like(text, pattern) }
    }

    /// Whether an array contains an item.
    public static func contains<Items: Swift.Sequence & Equatable>(
        _ array: any KeyPath<Model, Items> & Sendable,
        _ item: Items.Element
    ) -> Self where Items.Element: Encodable & Equatable {
        Self {
            let array = try DocumentProperty(array).expression
            let item = try QueryExpression(comparing: item)
            return QueryExpression(.isIn(item, array, isNegated: false))
        }
    }

    /// Whether a property is one of several values; `nil` equals null and a missing property.
    public static func isOne<Value: Encodable & Equatable>(
        of values: [Value],
        _ property: any KeyPath<Model, Value> & Sendable
    ) -> Self {
        Self {
            let items = try values.map { try QueryExpression(comparing: $0) }
            return .isOne(of: items, try DocumentProperty(property).expression)
        }
    }

    /// Whether the document's ID is one of these.
    public static func hasID(in documentIDs: [String]) -> Self {
        Self {
            let list = documentIDs.map { QueryExpression(.literal(.string($0))) }
            let ids = QueryExpression(.array(list))
            return QueryExpression(.isIn(DocumentProperty.documentID, ids, isNegated: false))
        }
    }

    private static func like(
        _ text: any KeyPath<Model, String> & Sendable,
        _ pattern: String
    ) throws -> QueryExpression {
        try QueryExpression.like(DocumentProperty(text).expression, pattern)
    }

    private static func escaped(_ text: String) -> String { QueryExpression.escaping(text) }
}

extension QueryExpression {
    /// Whether a string matches a pattern.
    static func like(_ text: QueryExpression, _ pattern: String) -> QueryExpression {
        QueryExpression(.like(text, QueryExpression(.literal(.string(pattern)))))
    }

    /// A text escaped for a pattern.
    static func escaping(_ text: String) -> String {
        var pattern = ""
        for scalar in text.unicodeScalars {
            if ["%", "_", "\\"].contains(scalar) { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern
    }
}
