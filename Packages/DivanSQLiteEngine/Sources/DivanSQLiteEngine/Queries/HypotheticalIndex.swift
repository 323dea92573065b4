public import DivanJSON
public import DivanQuery
internal import DivanSQL
public import DivanStorage

/// A hypothetical index, to find out whether a query would use it.
public struct HypotheticalIndex: Sendable {
    /// Its name, unique in its collection.
    public let name: ExactText
    /// The definition.
    public let definition: QueryIndexDefinition
    /// The collection.
    public let collection: CollectionPath

    /// Creates a hypothetical index.
    public init(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        in collection: CollectionPath
    ) {
        self.name = name
        self.definition = definition
        self.collection = collection
    }
}

extension IndexRecord {
    /// Whether it does everything that another one could.
    func serves(_ other: IndexRecord) -> Bool {
        kind == other.kind && kind != .fullText && kind != .vector && !content.isPartial
            && tables.map(\.name) == other.tables.map(\.name)
            && content.keys.starts(with: other.content.keys)
    }
}
