public import DivanJSON
public import DivanQuery

/// The facts about tables that a translation needs.
public protocol SQLSchema {
    /// The columns of the tables of documents.
    var documentColumns: SQLDocumentColumns { get }
    /// The table of a collection, as written in SQL.
    func table(of collection: QueryCollection) throws -> String
    /// The table of a full-text index.
    func fullTextTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLFullTextTable
    /// The table of a vector index.
    func vectorTable(_ index: ExactText, in collection: QueryCollection) throws -> SQLVectorTable
    /// The table with the items below a path, where each path leads from an item of the previous one; `nil` if no
    /// index has such a table.
    func itemTable(of collection: QueryCollection, _ paths: [QueryPath]) throws -> String?
    /// The value indexes of a collection, including partial ones.
    func valueIndexes(of collection: QueryCollection) throws -> [SQLIndexContent]
    /// Whether an index of a collection has a table with this name.
    func hasIndexTable(_ name: String, of collection: QueryCollection) throws -> Bool
    /// Whether the number of live documents is known without counting them
    /// (`SQLTranslation.Binding.liveCount`).
    var knowsLiveCounts: Bool { get }
}

/// A table of words.
public struct SQLFullTextTable: Hashable, Sendable {
    /// Its name in SQL.
    public let name: String
    /// The names of its columns in queries, in order.
    public let columns: [ExactText]
    /// The FTS5 tokenizer option.
    public let tokenizer: String

    /// Creates a description of a table.
    public init(name: String, columns: [ExactText], tokenizer: String) {
        self.name = name
        self.columns = columns
        self.tokenizer = tokenizer
    }
}

extension SQLSchema {
    /// None.
    public func itemTable(
        of collection: QueryCollection,
        _ paths: [QueryPath]
    ) throws -> String? { nil }

    /// None.
    public func valueIndexes(of collection: QueryCollection) throws -> [SQLIndexContent] { [] }

    /// No.
    public func hasIndexTable(_ name: String, of collection: QueryCollection) throws -> Bool {
        false
    }

    /// No.
    public var knowsLiveCounts: Bool { false }
}
