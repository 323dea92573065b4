public import DivanJSON

extension QueryStatement {
    /// The statement in the JSON form: `["SELECT", {…}]`.
    ///
    /// Source: `sqlpp.md` §10.
    public var json: JSON {
        var members: JSONObject = [:]
        if !columns.isEmpty { members["WHAT"] = .array(columns.map(\.json)) }
        if isDistinct { members["DISTINCT"] = true }
        if !sources.isEmpty { members["FROM"] = .array(sources.map(\.json)) }
        members["WHERE"] = filter?.json
        if !groups.isEmpty { members["GROUP_BY"] = .array(groups.map(\.jsonAmongPaths)) }
        members["HAVING"] = groupFilter?.json
        if !orderings.isEmpty { members["ORDER_BY"] = .array(orderings.map(\.json)) }
        members["LIMIT"] = limit?.json
        members["OFFSET"] = offset?.json
        return ["SELECT", .object(members)]
    }
}

extension QueryColumn {
    fileprivate var json: JSON {
        guard let alias else { return expression.jsonAmongPaths }
        return ["AS", expression.json, .string(alias.text)]
    }
}

extension QueryOrdering {
    fileprivate var json: JSON {
        let key = expression.jsonAmongPaths
        return isDescending ? ["DESC", key] : key
    }
}

extension QuerySource {
    fileprivate var json: JSON {
        var members: JSONObject = [:]
        switch form {
        case .collection(let scope, let name):
            members["SCOPE"] = scope.map { .string(QueryPath.escaped($0.text)) }
            members["COLLECTION"] = .string(QueryPath.escaped(name.text))
        case .mainCollection: break
        case .items(let expression): members["UNNEST"] = expression.json
        }
        members["AS"] = alias.map { .string($0.text) }
        members["JOIN"] = join.map { .string($0.rawValue) }
        members["ON"] = condition?.json
        return .object(members)
    }
}
