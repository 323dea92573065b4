import DivanJSON

/// The members of a `FROM` item as they are gathered.
struct SourceFields {
    private(set) var alias: ExactText?
    private(set) var join: QueryJoin?
    private(set) var condition: JSON?
    private(set) var items: JSON?
    private var scope: ExactText?
    private var collection: String?

    mutating func take(_ key: String, _ value: JSON) throws(QueryError) {
        switch key.uppercased() {
        case "AS":
            let name = try Self.text(value)
            guard !name.isEmpty else { throw JSONFormReader.emptyAlias }
            alias = ExactText(name)
        case "SCOPE": scope = try Self.name(QueryPath(text: try Self.text(value)))
        case "COLLECTION": collection = try Self.text(value)
        case "JOIN": join = try Self.join(try Self.text(value))
        case "ON": condition = value
        case "UNNEST": items = value
        default: throw QueryError("unknown key '\(key.prefix(64))' in a FROM item")
        }
    }

    func form(isFirst: Bool) throws(QueryError) -> QuerySource.Form {
        guard let collection else {
            if let scope { return .collection(scope: scope, name: "_default") }
            if !isFirst { return .mainCollection }
            guard alias != nil else { throw QueryError("missing AS and COLLECTION in FROM item") }
            return .collection(scope: nil, name: "_")
        }
        let path = try QueryPath(text: collection)
        guard path.steps.count == 2, scope == nil else {
            return .collection(scope: scope, name: try Self.name(path))
        }
        return .collection(
            scope: try Self.name(QueryPath([path.steps[0]])),
            name: try Self.name(path.dropping(1))
        )
    }

    private static func name(_ path: QueryPath) throws(QueryError) -> ExactText {
        guard path.steps.count == 1, case .key(let name) = path.steps[0] else {
            throw QueryError("\"\(path.text ?? "")\" is not a valid collection name")
        }
        return name
    }

    private static func text(_ value: JSON) throws(QueryError) -> String {
        guard let text = value.string else { throw JSONFormReader.notSource }
        return text
    }

    private static func join(_ text: String) throws(QueryError) -> QueryJoin {
        switch text.uppercased() {
        case "INNER": .inner
        case "LEFT", "LEFT OUTER": .leftOuter
        case "CROSS": .cross
        default:
            throw QueryError("invalid JOIN type '\(text.prefix(64))'; INNER, LEFT or CROSS")
        }
    }
}
