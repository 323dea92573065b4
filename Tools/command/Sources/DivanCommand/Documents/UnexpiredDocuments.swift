import CouchbaseLiteSwift
import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanQuery
import DivanRevisions
import Foundation

extension UnexpiredDocuments {
    /// The same query, restricted to them; `lost` has the documents of each source that are left out, too.
    func only(
        _ statement: QueryStatement,
        besides lost: [[DocumentID]] = []
    ) throws -> QueryStatement {
        guard now != nil || !lost.isEmpty else { return statement }
        var statement = statement
        if statement.sources.isEmpty {
            statement.filter = try Self.both(
                statement.filter,
                isShown(nil, besides: lost.first ?? [])
            )
        }
        for (index, source) in statement.sources.enumerated() {
            guard let name = source.collectionAlias else { continue }
            // The only source needs no name; a joined one has rows filtered before it is joined.
            let alias = statement.sources.count == 1 ? source.alias : name
            let others = index < lost.count ? lost[index] : []
            if now == nil, others.isEmpty { continue }
            let condition = try isShown(alias, besides: others)
            if source.join == nil {
                statement.filter = Self.both(statement.filter, condition)
            } else {
                statement.sources[index].condition = Self.both(source.condition, condition)
            }
        }
        return statement
    }

    private func isShown(
        _ alias: ExactText?,
        besides lost: [DocumentID]
    ) throws -> QueryExpression {
        let name = alias.map { "`\($0.text.spelling("`", as: "``"))`" } ?? ""
        var conditions: [String] = []
        if let now {
            let end = "META(\(name)).expiration"
            conditions.append("(\(end) IS NOT VALUED OR \(end) > \(now))")
        }
        if !lost.isEmpty {
            let list = lost.map { "'" + $0.text.spelling("'", as: "''") + "'" }
            conditions.append("META(\(name)).id NOT IN [\(list.joined(separator: ", "))]")
        }
        return try QueryExpression(sql: conditions.joined(separator: " AND "))
    }

    private static func both(
        _ first: QueryExpression?,
        _ second: QueryExpression
    ) -> QueryExpression {
        guard let first else { return second }
        return QueryExpression(.and([first, second]))
    }
}

extension QuerySource {
    /// The alias of a source of documents; `nil` for items of an array.
    fileprivate var collectionAlias: ExactText? {
        switch form {
        case .collection(_, let name): alias ?? name
        case .mainCollection: alias
        case .items: nil
        }
    }
}
