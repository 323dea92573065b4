import DivanJSON
import DivanQuery
import Foundation

/// Some documents of a query in a row, and where the next ones begin.
public struct DocumentPage<Model: Decodable> {
    /// The documents.
    public let documents: [TypedDocument<Model>]
    /// What the next page begins behind; `nil` when this page is not full, so that none follows.
    public let next: DocumentCursor?
}

extension DocumentPage: Sendable where Model: Sendable {}

/// A place between two documents of a query: the sort keys and the ID of the one before.
///
/// It stays right when documents come and go, and when the one before is gone. Good for queries with
/// the same orders only.
public struct DocumentCursor: Hashable, Sendable {
    /// The place as text, for a link to the next page.
    public let text: String

    /// The sort keys, `nil` for MISSING, and the ID.
    let keys: [QueryExpression]

    /// Takes up a place that was handed out as text.
    ///
    /// - Returns: `nil` when the text is no such place.
    public init?(_ text: String) {
        guard text.utf8.count <= QueryLimits.standard.byteCount,
            case .array(let items)? = try? JSON(parsing: Array(text.utf8)), !items.isEmpty
        else { return nil }
        var keys: [QueryExpression] = []
        for item in items {
            guard case .array(let values) = item, values.count <= 1 else { return nil }
            keys.append(
                values.first.map { QueryExpression($0) } ?? QueryExpression(.literal(.missing))
            )
        }
        guard case .literal(.string) = keys.last?.form else { return nil }
        self.text = text
        self.keys = keys
    }

    fileprivate init?(_ keys: [JSON?]) {
        self.init(JSON.array(keys.map { .array($0.map { [$0] } ?? []) }).canonicalText)
    }
}

extension DocumentQuery {
    /// At most `size` documents, those behind a place.
    ///
    /// Found by their keys, not by counting: a page far behind costs what the first one costs when
    /// an index has the first order, and nothing is shown twice or left out when documents come and
    /// go between two pages. The query's own limit counts for nothing. Documents that compare equal
    /// are in the order of their IDs; so are all of them where the query has no order.
    ///
    /// ```swift
    /// var page = try chairs.page(of: 20)
    /// while let next = page.next { page = try chairs.page(of: 20, behind: next) }
    /// ```
    ///
    /// - Throws: `CBLError.invalidParameter` for a cursor of other orders, a size below 1, and a sort
    ///   key that no cursor holds; as ``all()``.
    public func page(
        of size: Int,
        behind cursor: DocumentCursor? = nil
    ) throws -> DocumentPage<Model> {
        guard size > 0 else {
            throw NSError(
                CBLError.invalidParameter,
                "a page of \(size) documents; ask for at least 1"
            )
        }
        let orders = orders + [.byID]
        var statement = try statement()
        statement.orderings = try orders.map { try $0.ordering() }
        let columnCount = statement.columns.count
        statement.columns += statement.orderings.map { QueryColumn($0.expression) }
        statement.limit = QueryExpression(.literal(.integer(Int64(size))))
        if let cursor {
            guard cursor.keys.count == orders.count else {
                throw NSError(
                    CBLError.invalidParameter,
                    "the cursor has \(cursor.keys.count - 1) sort keys and the query "
                        + "\(orders.count - 1): it belongs to another query"
                )
            }
            let rest = try Self.isBehind(cursor.keys, orders)
            statement.filter = QueryExpression(.and([statement.filter, rest].compactMap(\.self)))
            if statement.filter == QueryExpression(.and([rest])) { statement.filter = rest }
        }
        let rows = try query(statement).execute().allResults()
        let last = rows.count == size ? rows.last : nil
        return DocumentPage(
            documents: try rows.map { try document($0) },
            next: try last.map { row in
                let keys = (columnCount..<row.count).map { row.json(at: $0) }
                // No next page would say that this is the last one.
                guard let next = DocumentCursor(keys) else {
                    throw NSError(
                        CBLError.invalidParameter,
                        "the page ends with a sort key that no cursor holds: an infinite number, or "
                            + "more than \(QueryLimits.standard.byteCount) bytes; sort by another"
                    )
                }
                return next
            }
        )
    }

    /// Whether a document comes behind the one with these keys: a later first key, or the same one
    /// and a later second key, and so on.
    private static func isBehind(
        _ keys: [QueryExpression],
        _ orders: [DocumentOrder<Model>]
    ) throws -> QueryExpression {
        var ways: [QueryExpression] = []
        var level: [QueryExpression] = []
        for (order, key) in zip(orders, keys) {
            let terms = level + [try order.isBehind(key)]
            ways.append(terms.count == 1 ? terms[0] : QueryExpression(.and(terms)))
            level.append(try order.isLevel(with: key))
        }
        guard ways.count > 1 else { return ways[0] }
        let isBehind = QueryExpression(.or(ways))
        // Nothing new, but an index finds where this begins.
        guard let order = orders.first, !order.isDescending, let key = keys.first,
            key.form != .literal(.missing)
        else { return isBehind }
        let start = QueryExpression(.comparison(.greaterOrEqual, try order.key.get(), key))
        return QueryExpression(.and([start, isBehind]))
    }
}
