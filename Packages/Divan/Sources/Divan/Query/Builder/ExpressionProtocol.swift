import DivanQuery

/// A value in a query that is built: a property, a literal, or what is made of others.
///
/// The types of this module are the only ones that can stand in a query.
public protocol ExpressionProtocol: Sendable {}

/// A property, which may be taken from a source by its alias.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// The same property of the source with an alias, or of the one called `scope.collection`.
    func from(_ alias: String?) -> any ExpressionProtocol
}

/// A fact about a document, which may be taken from a source by its alias.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// The same fact about the document of the source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// A variable that stands for the items of an array.
public protocol VariableExpressionProtocol: ExpressionProtocol {}

/// An index in a full-text function.
public protocol IndexExpressionProtocol: Sendable {}

/// A full-text index, which may be taken from a source by its alias.
public protocol FullTextIndexExpressionProtocol: IndexExpressionProtocol {
    /// The same index of the source with an alias.
    func from(_ alias: String) -> any FullTextIndexExpressionProtocol
}

/// Every expression that is built: a part of the tree.
struct BuiltExpression: VariableExpressionProtocol {
    let tree: QueryExpression

    init(_ form: QueryExpression.Form) {
        tree = QueryExpression(form)
    }
}

/// A property that is built.
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

/// A fact that is built.
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

/// A full-text index that is built.
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
        default:
            stopForMisuse("\(type(of: expression)) cannot stand in a query; use Expression")
        }
    }
}

extension QueryPath {
    /// The path of a property as callers write it: `a.b[0]`.
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
            stopForMisuse("\(type(of: index)) is no index; use Expression.fullTextIndex")
        }
        self = built.path
    }
}
