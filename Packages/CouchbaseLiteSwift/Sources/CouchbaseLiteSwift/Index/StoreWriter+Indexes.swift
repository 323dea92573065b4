package import DivanDatabase
import DivanJSON
import DivanQuery

extension StoreWriter {
    /// Makes an index such as another database has, of the documents that are there.
    ///
    /// - Parameters:
    ///   - index: The index definition in that database.
    ///   - path: The collection.
    ///   - control: Receives the progress, and may stop it.
    /// - Throws: `QueryError` for a description that is not one of ours, and for one that cannot be
    ///   indexed; what the store throws.
    package func createIndex(
        like index: StoredIndex,
        in path: CollectionPath,
        control: IndexBuildControl? = nil
    ) throws {
        guard !index.name.text.isEmpty else { throw QueryError("the index name is empty") }
        let plan = try IndexPlan(like: index, of: QueryCollection(path))
        try createIndex(
            index.name,
            plan.definition,
            source: plan.source,
            in: path,
            control: control
        )
    }
}
