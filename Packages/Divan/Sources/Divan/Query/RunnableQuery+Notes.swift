internal import DivanDatabase
internal import DivanJSON
internal import DivanQuery

extension RunnableQuery {
    /// What the plan does not show: paths of text indexes that lead through an array of a document, where they have no
    /// value, so that the words are not found.
    func notes() throws -> [String] {
        let store = try database.store()
        var notes: [String] = []
        for match in checked.matches {
            guard case .documents(let source) = checked.sources[match.source].form,
                let path = CollectionPath(source),
                let collection = try database.existingCollection(path.wireName),
                let index = try store.read({ try $0.indexes(in: path) })
                    .first(where: { $0.name == match.index })
            else { continue }
            for expression in try QueryStatement.indexDescription(sql: index.source).expressions {
                guard case .property(let property) = expression.form,
                    let array = try collection.array(on: property)
                else { continue }
                notes.append(
                    "note: index \(index.name) finds nothing in \(property.dotted) where"
                        + " \(array.dotted) is an array; index \(array.dotted) to find all texts in it"
                )
            }
        }
        return notes
    }
}

extension DocumentCollection {
    /// The first part of a path that is an array in a document, although the path continues with a key.
    fileprivate func array(on path: QueryPath) throws -> QueryPath? {
        for end in path.steps.indices.dropFirst() {
            guard case .key = path.steps[end] else { continue }
            let steps = Array(path.steps[..<end])
            let value = QueryExpression(.property(QueryPath([.key("d")] + steps)))
            let found = documents(of: Document.self, limit: 1).refined {
                $0.filter = QueryExpression(.call(.isArray, [value]))
            }
            if try !found.ids().isEmpty { return QueryPath(steps) }
        }
        return nil
    }
}

extension QueryPath {
    fileprivate var dotted: String {
        steps.map { step in
            switch step {
            case .key(let key): key.text
            case .item(let position): "[\(position)]"
            }
        }
        .joined(separator: ".")
    }
}
