@_spi(Stores) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Foundation

/// The command that was probably meant, for an index of what no document has.
struct IndexAdvice {
    private let arguments: Arguments
    private let expressions: [QueryExpression]
    /// The condition of a partial index.
    private let condition: QueryExpression?

    init(_ arguments: Arguments) {
        self.arguments = arguments
        var texts = Array(arguments.operands.dropFirst(2))
        if let path = arguments.value("--array") {
            texts = [path.split(separator: "[]").first.map(String.init) ?? path]
        }
        expressions = texts.flatMap { text in
            (try? QueryStatement.indexedExpressions(sql: text)) ?? []
        }
        let condition = arguments.value("--where")
        self.condition = condition.flatMap { text in
            (try? QueryStatement(sql: "SELECT 1 FROM _ WHERE \(text)"))?.filter
        }
    }

    /// The hint for a collection that does not exist; `nil` if none was probably meant.
    func hint(forMissing name: CollectionName, in database: Database) throws -> String? {
        let others = try database.allCollections()
        let names = others.map { "\($0.qualifiedName)" }
        let near =
            Spelling.nearest(to: "\(name)", among: names)
            ?? names.first { $0.hasSuffix(".\(name)") }
        let meant = try near ?? others.first { try has($0) }.map { "\($0.qualifiedName)" }
        return meant.map { "run \(command(collection: $0, expressions: expressions))" }
    }

    /// The sentence for an index of properties that no document has; `nil` if there is nothing to say.
    func sentence(
        of collection: CouchbaseLiteSwift.Collection,
        in database: Database
    ) throws -> String? {
        let names = try Self.names(of: collection)
        guard names.isComplete else { return nil }
        let paths = paths(in: collection)
        let unknown = paths.compactMap(names.unknown)
        guard
            let first = unknown.first
                ?? (names.isEmpty ? paths.first : nil).map({
                    PropertyNames.Unknown(path: $0, meant: nil, names: [])
                })
        else { return nil }
        let place = "\(collection.qualifiedName)"
        let start =
            names.isEmpty ? "\(place) has no documents" : names.sentence(about: first, in: place)
        if let start, first.meant != nil {
            let meant = expressions.map { $0.replacing(unknown) }
            // Nothing else in a condition is replaced.
            guard self.paths(of: meant, in: collection).allSatisfy(names.have) else { return start }
            return "\(start) Run \(command(collection: place, expressions: meant))"
        }
        let other = try database.allCollections().first { other in
            try other != collection && has(other)
        }
        if let other {
            let name = "\(other.qualifiedName)"
            return "\(start ?? place); \(name) has documents with these properties; run "
                + command(collection: name, expressions: expressions)
        }
        return names.isEmpty ? nil : start
    }

    private func paths(in collection: CouchbaseLiteSwift.Collection) -> [QueryPath] {
        paths(of: expressions, in: collection)
    }

    private func paths(
        of expressions: [QueryExpression],
        in collection: CouchbaseLiteSwift.Collection
    ) -> [QueryPath] {
        let over = QueryCollection(CollectionPath(collection.qualifiedName))
        return (expressions + [condition].compactMap(\.self)).flatMap { $0.properties(of: over) }
    }

    /// Whether a collection has documents with all properties of the index.
    private func has(_ collection: CouchbaseLiteSwift.Collection) throws -> Bool {
        let names = try Self.names(of: collection)
        let paths = paths(in: collection)
        return !paths.isEmpty && paths.allSatisfy(names.have)
    }

    private static func names(of collection: CouchbaseLiteSwift.Collection) throws -> PropertyNames
    {
        let path = CollectionPath(collection.qualifiedName)
        let limit = PropertyNames.documentCount + 1
        return try collection.database.openStore().read { reader in
            var ids = try reader.documentIDs(in: path, limit: limit)[...]
            return try PropertyNames {
                while let id = ids.popFirst() {
                    do throws(StoreError) {
                        if let found = try reader.document(id, in: path) { return found.body }
                    } catch {
                        guard error.concernsOneDocument else { throw error }
                    }
                }
                return nil
            }
        }
    }

    /// The command with another collection, or other expressions.
    private func command(collection: String, expressions: [QueryExpression]) -> String {
        var words = [
            "divan index make", arguments.database.word, arguments.operands[1].wordForShell, "-c",
            collection.wordForShell,
        ]
        if let path = arguments.value("--array") {
            // The array itself, with the name that was probably meant, and what follows.
            let rest = path.range(of: "[]").map { String(path[$0.lowerBound...]) } ?? ""
            let start = expressions.first?.sql ?? String(path.dropLast(rest.count))
            words += ["--array", (start + rest).wordForShell]
            words += arguments.operands.dropFirst(2).map(\.wordForShell)
        } else {
            words += expressions.map(\.sql.wordForShell)
        }
        for option in ["--where", "--language"] {
            if let value = arguments.value(option) { words += [option, value.wordForShell] }
        }
        for flag in ["--text", "--ignore-accents"] where arguments.has(flag) { words.append(flag) }
        return words.joined(separator: " ")
    }
}

extension QueryExpression {
    /// The expression with the names that were probably meant; only where it is a property, or a call with one.
    fileprivate func replacing(_ unknown: [PropertyNames.Unknown]) -> QueryExpression {
        switch form {
        case .property(let path):
            let meant = unknown.first { path.steps.starts(with: $0.path.steps) }?.meant
            return meant.map { QueryExpression(.property($0)) } ?? self
        case .call(let function, let arguments):
            return QueryExpression(.call(function, arguments.map { $0.replacing(unknown) }))
        default: return self
        }
    }
}
