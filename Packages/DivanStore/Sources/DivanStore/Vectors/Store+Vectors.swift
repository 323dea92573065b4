public import DivanJSON
internal import DivanLog
public import DivanQuery
internal import DivanVectors
import Synchronization

/// The trained indexes that were prepared since the last transaction.
struct PreparedVectorIndexes {
    private var transactionCount = 0
    private var names: [CollectionPath: Set<ExactText>] = [:]

    /// Whether an index was prepared after this number of transactions.
    func contains(_ name: ExactText, in path: CollectionPath, at count: Int) -> Bool {
        count == transactionCount && names[path]?.contains(name) == true
    }

    mutating func insert(_ name: ExactText, in path: CollectionPath, at count: Int) {
        if count != transactionCount { names = [:] }
        transactionCount = count
        names[path, default: []].insert(name)
    }
}

/// A document whose vector is to be computed for a lazy index.
public struct PendingVector: Sendable {
    /// Names the document's current revision.
    public let sequence: Int64
    /// The value of the index's expression.
    public let value: QueryValue
}

extension Store {
    /// The state of a vector index; `nil` if there is none of this name, or if queries run on copies, as in memory.
    public func vectorIndexState(
        _ name: ExactText,
        in path: CollectionPath
    ) throws -> VectorIndexState? {
        try read { reader in
            guard let table = try reader.vectorTable(name, in: path) else { return nil }
            return try reader.current().vectorIndexState(table)
        }
    }

    /// Trains the vector indexes of a query if they have enough vectors by now.
    ///
    /// If that fails, the query compares all vectors.
    func prepareVectorIndexes(of statement: CheckedStatement) {
        for search in statement.vectorSearches where search.nearestCount != 0 {
            guard case .documents(let collection) = statement.sources[search.source].form,
                let path = CollectionPath(collection)
            else { continue }
            prepareVectorIndex(search.index, in: path)
        }
    }

    /// Trains a vector index if it has enough vectors and is not trained.
    ///
    /// Does nothing if the database is read-only, or inside a transaction.
    ///
    /// - Returns: The state afterwards; `nil` as `vectorIndexState`.
    /// - Throws: `StoreError`; the index then stays untrained.
    @discardableResult
    public func trainVectorIndex(
        _ name: ExactText,
        in path: CollectionPath
    ) throws -> VectorIndexState? {
        let state = try vectorIndexState(name, in: path)
        guard state?.needsTraining == true, !isReadOnly, !isWriting else { return state }
        try write { writer in
            guard let table = try writer.vectorTable(name, in: path) else { return }
            try writer.changing().trainVectorIndex(table)
        }
        return try vectorIndexState(name, in: path)
    }

    private func prepareVectorIndex(_ name: ExactText, in path: CollectionPath) {
        let count = transactionCount.load(ordering: .relaxed)
        guard !preparedVectors.withLock({ $0.contains(name, in: path, at: count) }) else { return }
        var reason = ""
        do {
            guard let state = try trainVectorIndex(name, in: path), !state.isTrained else {
                return preparedVectors.withLock { $0.insert(name, in: path, at: count) }
            }
            reason =
                " until it has \(state.options.minimumTrainingCount) vectors (now"
                + " \(state.untrainedCount))"
        } catch {
            reason = ": \(error)"
        }
        StoreLog.query.warning(
            "Untrained index; queries may be slow: \(name) of \(path) is not trained\(reason)"
        )
    }

    /// The next documents whose vectors a lazy index lacks, by ascending sequence.
    ///
    /// - Parameters:
    ///   - name: The index.
    ///   - path: The collection.
    ///   - limit: The largest number of documents.
    /// - Returns: The documents; `nil` if there is no such lazy index.
    /// - Throws: `StoreError`.
    public func pendingVectors(
        of name: ExactText,
        in path: CollectionPath,
        limit: Int
    ) throws -> [PendingVector]? {
        try read { reader in
            guard let index = try reader.vectorIndex(name, in: path), index.options.isLazy,
                let table = try reader.vectorTable(name, in: path)
            else { return nil }
            let sequences = try reader.current().pendingVectors(of: table, limit: limit)
            if sequences.isEmpty { return [] }
            let query = try index.values(of: sequences, in: QueryCollection(path))
            var pending: [PendingVector] = []
            try reader.current().run(StorageQuery(query)) { row in
                guard case .integer(let sequence) = row[0] else { return }
                pending.append(PendingVector(sequence: sequence, value: row[1]))
            }
            return pending
        }
    }

    /// Stores vectors of a lazy index, or removes them; those of documents that were changed or deleted are ignored.
    ///
    /// - Throws: `StoreError`.
    public func setVectors(
        _ vectors: [(sequence: Int64, vector: [Float]?)],
        of name: ExactText,
        in path: CollectionPath
    ) throws {
        try write { writer in
            guard let table = try writer.vectorTable(name, in: path) else { return }
            try writer.changing().setVectors(vectors, in: table)
            // Live queries see no changed document.
            writer.noteShape(of: path)
        }
    }
}

extension StoreReader {
    /// The table of a vector index.
    func vectorTable(_ name: ExactText, in path: CollectionPath) throws(StoreError) -> String? {
        try current().indexRecords(of: collection(path).id)
            .first { $0.kind == .vector && $0.name == name }?.tables.first?.name
    }

    fileprivate func vectorIndex(
        _ name: ExactText,
        in path: CollectionPath
    ) throws(StoreError) -> QueryVectorIndex? {
        try indexes(in: path).first { $0.name == name }?.vectors
    }
}

extension QueryVectorIndex {
    /// The query of the values from which the vectors of some documents are made.
    fileprivate func values(
        of sequences: [Int64],
        in collection: QueryCollection
    ) throws -> CheckedStatement {
        let sequence = CheckedExpression.metadata(source: 0, .sequence)
        let value = try QueryExpression(sql: expression).checked(over: collection)
        return CheckedStatement(
            columns: [
                CheckedColumn(title: "sequence", sequence), CheckedColumn(title: "value", value),
            ],
            sources: [CheckedSource(.documents(collection))],
            filter: .isOneOf(sequence, sequences.map { .literal(.integer($0)) }, .binary),
            orderings: [CheckedOrdering(CheckedKey(sequence))]
        )
    }
}

extension StorageSnapshot {
    /// `nil`: queries run on copies, which are not trained.
    public func vectorIndexState(_ table: String) throws -> VectorIndexState? { nil }

    /// None.
    public func pendingVectors(of table: String, limit: Int) throws(StoreError) -> [Int64] { [] }
}

extension StorageTransaction {
    /// Does nothing.
    public func trainVectorIndex(_ table: String) throws {}

    /// Does nothing.
    public func setVectors(
        _ vectors: [(sequence: Int64, vector: [Float]?)],
        in table: String
    ) throws {}
}
