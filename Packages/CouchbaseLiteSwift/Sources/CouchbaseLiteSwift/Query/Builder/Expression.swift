import DivanJSON
import DivanQuery
public import Foundation

/// Creates the basic parts of queries: properties, literals and parameters.
///
/// Source: `sqlpp.md` §11.
public final class Expression: Sendable {
    private init() {}

    /// The property at a path such as `address.lines[0]`; a dot in a key is written `\.`.
    public static func property(_ property: String) -> any PropertyExpressionProtocol {
        BuiltProperty(path: QueryPath(property: property))
    }

    /// The whole body of a document.
    public static func all() -> any PropertyExpressionProtocol { BuiltProperty(path: QueryPath()) }

    /// A value of any type that documents can store; arrays and dictionaries can also contain expressions.
    public static func value(_ value: Any?) -> any ExpressionProtocol {
        switch value {
        case let property as BuiltProperty: property
        case let metadata as BuiltMetadata: metadata
        default: BuiltExpression(QueryExpression(literal: value).form)
        }
    }

    /// A string.
    public static func string(_ value: String?) -> any ExpressionProtocol { self.value(value) }

    /// A number.
    public static func number(_ value: NSNumber?) -> any ExpressionProtocol { self.value(value) }

    /// An integer.
    public static func int(_ value: Int) -> any ExpressionProtocol { self.value(value) }

    /// An integer.
    public static func int64(_ value: Int64) -> any ExpressionProtocol { self.value(value) }

    /// A number.
    public static func float(_ value: Float) -> any ExpressionProtocol { self.value(value) }

    /// A number.
    public static func double(_ value: Double) -> any ExpressionProtocol { self.value(value) }

    /// A boolean.
    public static func boolean(_ value: Bool) -> any ExpressionProtocol { self.value(value) }

    /// A date, as the string that documents store.
    public static func date(_ value: Date?) -> any ExpressionProtocol { self.value(value) }

    /// A dictionary.
    public static func dictionary(_ value: [String: Any]?) -> any ExpressionProtocol {
        self.value(value)
    }

    /// An array.
    public static func array(_ value: [Any]?) -> any ExpressionProtocol { self.value(value) }

    /// A parameter, whose value comes from `Query.parameters`.
    public static func parameter(_ name: String) -> any ExpressionProtocol {
        BuiltExpression(.parameter(ExactText(name)))
    }

    /// Whether `expression` is not true: the same as ``not(_:)``.
    public static func negated(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        not(expression)
    }

    /// Whether `expression` is not true.
    public static func not(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.not(QueryExpression(expression)))
    }

    /// A full-text index by its name.
    public static func fullTextIndex(_ indexName: String) -> any FullTextIndexExpressionProtocol {
        BuiltIndex(path: QueryPath(keys: indexName))
    }
}

extension QueryExpression {
    /// Creates the expression for a caller's value that is inside `depth` containers.
    ///
    /// An array or dictionary is followed as long as it may contain expressions.
    init(literal value: Any?, inside depth: Int = 0) {
        switch value {
        case let built as BuiltExpression: self = built.tree
        case let built as BuiltProperty: self = built.tree
        case let built as BuiltMetadata: self = built.tree
        case .some(let any):
            guard let container = CallerContainer(any) else {
                self.init(Value(any))
                return
            }
            guard depth < JSONLimits.default.depth else {
                self.init(.refused(reason: Unstorable.tooDeep.reason))
                return
            }
            self.init(container, inside: depth)
        case .none: self.init(.literal(.null))
        }
    }

    /// Creates the expression for a container that is inside `depth` others.
    private init(_ container: CallerContainer, inside depth: Int) {
        switch container {
        case .items(let items):
            self.init(.array(items.map { QueryExpression(literal: $0, inside: depth + 1) }))
        case .members(let members):
            let members = members.map {
                Member(ExactText($0.key), QueryExpression(literal: $0.value, inside: depth + 1))
            }
            self.init(.object(members.sorted { $0.key < $1.key }))
        }
    }

    /// Creates the expression for a value that contains no expressions.
    private init(_ value: Value) {
        if let unstorable = value.unstorable() {
            self.init(.refused(reason: unstorable.reason))
        } else {
            self.init(value.queryJSON)
        }
    }

    /// Creates the expression for a value from documents.
    init(_ json: JSON) {
        switch json {
        case .null: self.init(.literal(.null))
        case .bool(let value): self.init(.literal(.boolean(value)))
        case .int(let value): self.init(.literal(.integer(value)))
        case .uint, .double, .long: self.init(.literal(.double(json.double ?? 0)))
        case .string(let text): self.init(.literal(.string(text)))
        case .array(let items): self.init(.array(items.map { QueryExpression($0) }))
        case .object(let members):
            self.init(.object(members.map { Member(ExactText($0.key), QueryExpression($0.value)) }))
        }
    }
}

/// Metadata of documents.
public final class Meta: Sendable {
    private init() {}

    /// The document's ID.
    public static var id: any MetaExpressionProtocol { BuiltMetadata(key: .id) }
    /// The ID of the current revision.
    public static var revisionID: any MetaExpressionProtocol { BuiltMetadata(key: .revisionID) }
    /// The sequence of the document's last change.
    public static var sequence: any MetaExpressionProtocol { BuiltMetadata(key: .sequence) }
    /// Whether the document is deleted.
    ///
    /// A query that uses it also returns deleted documents.
    public static var isDeleted: any MetaExpressionProtocol { BuiltMetadata(key: .deleted) }
    /// When the document expires, in milliseconds since 1970.
    public static var expiration: any MetaExpressionProtocol { BuiltMetadata(key: .expiration) }
}
