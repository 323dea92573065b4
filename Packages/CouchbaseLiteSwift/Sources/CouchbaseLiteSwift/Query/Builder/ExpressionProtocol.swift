import DivanQuery

/// A value in a built query: a property, a literal, or a combination of others.
///
/// Only the types of this module can be used in a query.
public protocol ExpressionProtocol: Sendable {}

/// A property; `from(_:)` selects its source.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Returns the same property of the source with this alias or name (`scope.collection`).
    func from(_ alias: String?) -> any ExpressionProtocol
}

/// A document's metadata; `from(_:)` selects the source.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Returns the same metadata for the source with this alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// A variable for the items of an array.
public protocol VariableExpressionProtocol: ExpressionProtocol {}

/// An index in a full-text function.
public protocol IndexExpressionProtocol: Sendable {}

/// A full-text index; `from(_:)` selects its source.
public protocol FullTextIndexExpressionProtocol: IndexExpressionProtocol {
    /// Returns the same index for the source with this alias.
    func from(_ alias: String) -> any FullTextIndexExpressionProtocol
}

/// Any built expression: a part of the tree.
struct BuiltExpression: VariableExpressionProtocol {
    let tree: QueryExpression

    init(_ form: QueryExpression.Form) {
        tree = QueryExpression(form)
    }
}

/// A built property.
struct BuiltProperty: PropertyExpressionProtocol {
    let path: QueryPath

    var tree: QueryExpression {
        QueryExpression(path.isEmpty ? .everything(of: path) : .property(path))
    }

    func from(_ alias: String?) -> any ExpressionProtocol {
        guard let alias else { return self }
        let whole = QueryPath(QueryPath(source: alias).steps + path.steps)
        return BuiltExpression(path.isEmpty ? .everything(of: whole) : .property(whole))
    }
}

/// A built metadata expression.
struct BuiltMetadata: MetaExpressionProtocol {
    let key: QueryMetadataKey

    var tree: QueryExpression { tree(of: QueryPath()) }

    func from(_ alias: String) -> any ExpressionProtocol {
        BuiltExpression(tree(of: QueryPath(source: alias)).form)
    }

    private func tree(of source: QueryPath) -> QueryExpression {
        let short = QueryPath(keys: "_" + key.rawValue)
        return QueryExpression(.property(QueryPath(source.steps + short.steps)))
    }
}

/// A built full-text index.
struct BuiltIndex: FullTextIndexExpressionProtocol {
    let path: QueryPath

    func from(_ alias: String) -> any FullTextIndexExpressionProtocol {
        BuiltIndex(path: QueryPath(QueryPath(source: alias).steps + path.steps))
    }
}

extension QueryExpression {
    /// The tree of an expression.
    init(_ expression: any ExpressionProtocol) {
        switch expression {
        case let built as BuiltExpression: self = built.tree
        case let built as BuiltProperty: self = built.tree
        case let built as BuiltMetadata: self = built.tree
        case let prediction as PredictionFunction: self = prediction.tree
        default:
            stopForMisuse(
                "\(type(of: expression)) is not a supported expression; use Expression"
            )
        }
    }
}

extension QueryPath {
    /// Parses the path of a property as callers write it: `a.b[0]`.
    init(property text: String) {
        do {
            try self.init(text: text)
        } catch {
            stopForMisuse("Expression: \(error)")
        }
    }

    /// The path of an index, `alias.index` or `index`.
    init(index: any IndexExpressionProtocol) {
        guard let built = index as? BuiltIndex else {
            stopForMisuse(
                "\(type(of: index)) is not an index expression; use Expression.fullTextIndex"
            )
        }
        self = built.path
    }
}
