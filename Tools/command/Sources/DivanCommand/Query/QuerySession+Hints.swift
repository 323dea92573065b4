import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions

/// Hints for a query that finds nothing.
extension QuerySession {
    /// Hints that are printed for one query.
    private static let hintCount = 4

    /// Prints which of a query's properties no document has, with the ones that were probably meant.
    func noteUnknown(
        _ properties: [(source: Int, path: QueryPath)],
        of query: StorageQuery,
        _ terminal: Terminal
    ) throws {
        var known: [QueryCollection: PropertyNames] = [:]
        var sentences: [String] = []
        for (source, path) in properties {
            guard sentences.count < Self.hintCount,
                query.statement.sources.indices.contains(source),
                case .documents(let collection) = query.statement.sources[source].form
            else { continue }
            let names = try known[collection] ?? propertyNames(of: collection)
            known[collection] = names
            guard let unknown = names.unknown(in: path),
                let sentence = names.sentence(about: unknown, in: Self.name(of: collection)),
                !sentences.contains(sentence)
            else { continue }
            sentences.append(sentence)
        }
        // Also with --json: rows without the property look like those of documents that lack it.
        for sentence in sentences { terminal.hint(sentence) }
    }

    /// The properties of the first documents of a collection.
    private func propertyNames(of collection: QueryCollection) throws -> PropertyNames {
        let place = QuerySource.Form.collection(scope: collection.scope, name: collection.name)
        let body = QueryColumn(QueryExpression(.everything(of: QueryPath())))
        let statement = QueryStatement(columns: [body], sources: [QuerySource(place)])
        let catalogue = StoreCatalogue(store, named: ExactText(name))
        let rows = try store.rows(of: StorageQuery(statement.checked(against: catalogue)))
        defer { rows.end() }
        return try PropertyNames {
            try rows.next().map { row in
                if case .container(let bytes) = row[0] { bytes } else { [] }
            }
        }
    }

    private static func name(of collection: QueryCollection) -> String {
        CollectionPath(collection)?.wireName ?? collection.name.text
    }

    /// The remedy for a query whose `MATCH` has no index: another name, or the command that creates the index.
    func matchRemedy(_ question: String) -> String? {
        guard let statement = try? QueryStatement(sql: question), let filter = statement.filter
        else {
            return nil
        }
        for index in filter.matchedIndexes {
            guard case .key(let name)? = index.steps.last,
                let collection = collection(of: index, in: statement),
                let path = CollectionPath(collection)
            else { continue }
            let present = (try? store.read { try $0.indexes(in: path) }) ?? []
            let words = present.filter { $0.kind == .fullText }.map(\.name.text)
            if words.contains(name.text) { continue }
            if let meant = Spelling.nearest(to: name.text, among: words) {
                return "did you mean MATCH(\(meant), …)?"
            }
            guard let names = try? propertyNames(of: collection) else { return nil }
            let property = QueryPath([.key(name)])
            guard let indexed = names.have(property) ? property : names.wordiest else { return nil }
            let expression = QueryExpression(.property(indexed)).sql.wordForShell
            // An index of another kind with this name would be replaced.
            let isTaken = present.contains { $0.name.text == name.text }
            let free = isTaken ? Self.freeName(besides: present.map(\.name.text), name.text) : nil
            let start =
                free.map { "\(name.text) is not a full-text index; for MATCH(\($0), …) run " }
                ?? "run "
            return start + "divan index make \(word) \((free ?? name.text).wordForShell) -c "
                + "\(path.wireName.wordForShell) \(expression) --text"
        }
        return nil
    }

    private static func freeName(besides names: [String], _ wanted: String) -> String {
        var (name, number) = (wanted + "Text", 1)
        while names.contains(name) {
            number += 1
            name = "\(wanted)Text\(number)"
        }
        return name
    }

    /// The collection whose index a condition names; the first one of a query without its alias.
    private func collection(of index: QueryPath, in statement: QueryStatement) -> QueryCollection? {
        var source = statement.sources.first
        if index.steps.count > 1, case .key(let alias)? = index.steps.first {
            source = statement.sources.first { $0.alias == alias } ?? source
        }
        guard let form = source?.form else { return nil }
        let body = QueryColumn(QueryExpression(.everything(of: QueryPath())))
        let alone = QueryStatement(columns: [body], sources: [QuerySource(form)])
        let catalogue = StoreCatalogue(store, named: ExactText(name))
        guard let checked = try? alone.checked(against: catalogue),
            case .documents(let collection)? = checked.sources.first?.form
        else { return nil }
        return collection
    }
}

extension QueryExpression {
    /// The indexes of the full-text conditions at the top level of a condition.
    fileprivate var matchedIndexes: [QueryPath] {
        switch form {
        case .and(let terms): terms.flatMap(\.matchedIndexes)
        case .match(let index, _): [index]
        default: []
        }
    }
}
