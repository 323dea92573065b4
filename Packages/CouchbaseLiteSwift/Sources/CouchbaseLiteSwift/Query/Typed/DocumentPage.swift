import DivanJSON
import DivanQuery
import Foundation

/// A page of a query's documents, with the cursor for the next page.
public struct DocumentPage<Model: Decodable> {
    /// The documents.
    public let documents: [TypedDocument<Model>]
    /// The cursor for the next page; `nil` if this is the last page.
    public let next: DocumentCursor?
}

extension DocumentPage: Sendable where Model: Sendable {}

/// A position in the documents of a query: the sort keys and the ID of the document before it.
///
/// It stays valid when documents are added or removed. Use it only for queries with the same orders.
public struct DocumentCursor: Hashable, Sendable {
    /// The position as text, for a link to the next page.
    public let text: String

    /// The sort keys, `nil` for MISSING, and the ID.
    let keys: [QueryExpression]

    /// Restores a position from its text.
    ///
    /// - Returns: `nil` if the text is not a cursor.
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
    /// Returns at most `size` documents after a position.
    ///
    /// Documents are found by their keys, not by counting. If an index covers the first order, a late page is as fast
    /// as the first one. No document is repeated or skipped if others are added or removed between pages. The query's
    /// limit is ignored. Documents that compare equal, or all documents if the query has no order, are sorted by ID.
    ///
    /// ```swift
    /// var page = try chairs.page(of: 20)
    /// while let next = page.next { page = try chairs.page(of: 20, after: next) }
    /// ```
    ///
    /// - Throws: `CBLError.invalidParameter` for a cursor of a query with other orders, a size below 1, or a sort key
    ///   that exceeds the limit of a cursor; the same errors as ``all()``.
    public func page(
        of size: Int,
        after cursor: DocumentCursor? = nil
    ) throws -> DocumentPage<Model> {
        let (statement, columnCount) = try pageStatement(of: size, after: cursor)
        let rows = try query(statement).execute().allResults()
        let last = rows.count == size ? rows.last : nil
        return DocumentPage(
            documents: try rows.map { try document($0) },
            next: try last.map { row in
                try self.cursor(behind: (columnCount..<row.count).map { row.json(at: $0) })
            }
        )
    }

    /// The statement of a page, and the first of its columns from which the next cursor is made.
    func pageStatement(
        of size: Int,
        after cursor: DocumentCursor?
    ) throws -> (statement: QueryStatement, firstKeyColumn: Int) {
        guard size > 0 else {
            throw NSError(
                CBLError.invalidParameter,
                "invalid page size \(size); use at least 1"
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
                        + "\(orders.count - 1); use a cursor of the same query"
                )
            }
            let rest = try Self.isBehind(cursor.keys, orders)
            statement.filter = QueryExpression(.and([statement.filter, rest].compactMap(\.self)))
            if statement.filter == QueryExpression(.and([rest])) { statement.filter = rest }
        }
        return (statement, columnCount)
    }

    /// The cursor behind a document with these sort keys and ID.
    ///
    /// - Throws: `CBLError.invalidParameter`, because returning no cursor would mean that this is the last page.
    func cursor(behind keys: [JSON?]) throws -> DocumentCursor {
        guard let next = DocumentCursor(keys) else {
            throw NSError(
                CBLError.invalidParameter,
                "no cursor can be created after this page: its last sort key is infinite "
                    + "or exceeds \(QueryLimits.standard.byteCount) bytes; sort by another "
                    + "key"
            )
        }
        return next
    }

    /// Whether a document comes after the one with these keys: with a later first key, or the same one and a later
    /// second key, and so on.
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
        // Redundant, but lets an index find where this begins.
        guard let order = orders.first, !order.isDescending, let key = keys.first,
            key.form != .literal(.missing)
        else { return isBehind }
        let start = QueryExpression(.comparison(.greaterOrEqual, try order.key.get(), key))
        return QueryExpression(.and([start, isBehind]))
    }
}
