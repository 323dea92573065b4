public import DivanJSON

/// What a translation must know of the tables.
public protocol SQLSchema {
    /// The table of a collection, as it is written in SQL.
    func table(of collection: QueryCollection) throws -> String
    /// The table of a full-text index.
    func fullTextTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLFullTextTable
    /// The table that has the items below a path, of which each leads from an item of the one
    /// before; `nil` where no index keeps one.
    func itemTable(of collection: QueryCollection, _ paths: [QueryPath]) throws -> String?
    /// The columns of each index of values that has all documents of a collection, as
    /// `SQLIndexTranslation` writes them.
    func valueIndexes(of collection: QueryCollection) throws -> [[String]]
    /// What the indexes of values of a collection are ordered by, those of some documents too, as
    /// `SQLIndexTranslation` writes it, without collations.
    func indexedExpressions(of collection: QueryCollection) throws -> Set<ExactText>
    /// Whether the number of live documents is known without counting them
    /// (`SQLTranslation.Binding.liveCount`).
    var knowsLiveCounts: Bool { get }
}

/// A table of words.
public struct SQLFullTextTable: Hashable, Sendable {
    /// Its name in SQL.
    public let name: String
    /// What queries call its columns, in order.
    public let columns: [ExactText]
    /// How its texts became words, as FTS5 was told.
    public let tokenizer: String

    /// Describes a table.
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
    public func valueIndexes(of collection: QueryCollection) throws -> [[String]] { [] }

    /// None.
    public func indexedExpressions(
        of collection: QueryCollection
    ) throws -> Set<ExactText> { [] }

    /// No.
    public var knowsLiveCounts: Bool { false }
}
