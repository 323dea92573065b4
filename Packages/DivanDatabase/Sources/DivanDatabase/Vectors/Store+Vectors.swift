public import DivanJSON
internal import DivanLog
import DivanPlatform
public import DivanQuery
internal import DivanSQLiteEngine
@_spi(Database) public import DivanStore
internal import DivanVectors

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
            return try reader.current().vectorReading?.vectorIndexState(table)
        }
    }

    /// Trains the vector indexes of a query, or moves new vectors into their cells, if that is quick.
    ///
    /// A background thread does longer work; until it ends, queries compare all vectors that are in no cell.
    func prepareVectorIndexes(of statement: CheckedStatement) {
        for search in statement.vectorSearches where search.nearestCount != 0 {
            guard case .documents(let collection) = statement.sources[search.source].form,
                let path = CollectionPath(collection)
            else { continue }
            prepareVectorIndex(VectorIndexPath(path, search.index))
        }
    }

    /// Trains a vector index if it has enough vectors and is not trained, and moves new vectors into its cells.
    ///
    /// Returns after all is done, which takes some seconds for 100,000 vectors. Other threads can read and write
    /// meanwhile. Does nothing if the database is read-only, or inside a transaction.
    ///
    /// - Parameters:
    ///   - name: The index.
    ///   - path: The collection.
    ///   - isCancelled: Whether to stop; asked between the steps of the work. What was done is kept.
    /// - Returns: The state afterwards; `nil` as `vectorIndexState`.
    /// - Throws: `StoreError`; `VectorError` if the vectors cannot be trained with; `CancellationError` if it is
    ///   cancelled.
    @discardableResult
    public func trainVectorIndex(
        _ name: ExactText,
        in path: CollectionPath,
        isCancelled: () -> Bool = { false }
    ) throws -> VectorIndexState? {
        let index = VectorIndexPath(path, name)
        if !isReadOnly, !isWriting {
            while !vectorWorker.claim(index) {
                if isCancelled() { throw CancellationError() }
                CurrentThread.sleep(milliseconds: 1)
            }
            defer { vectorWorker.release(index) }
            try work(on: index, .whole, isCancelled: isCancelled)
        }
        return try vectorIndexState(name, in: path)
    }

    /// Does all pieces of work that an index needs; call only after a claim.
    func work(
        on index: VectorIndexPath,
        _ upkeep: VectorUpkeep,
        isCancelled: () -> Bool
    ) throws {
        var upkeep = upkeep
        while let (work, source) = try nextWork(on: index, upkeep) {
            if isCancelled() { throw CancellationError() }
            let change: any VectorIndexChange
            do throws(VectorError) {
                change = try work.finish(isCancelled: isCancelled)
            } catch {
                if case .cancelled = error { throw CancellationError() }
                throw error
            }
            try write { try $0.change(index, from: source, change) }
            guard let next = change.next(after: upkeep) else { return }
            upkeep = next
        }
    }

    /// What an index needs next, and its definition; `nil` for nothing.
    func nextWork(
        on index: VectorIndexPath,
        _ upkeep: VectorUpkeep
    ) throws -> (work: any VectorIndexWork, source: String)? {
        try read { reader in
            guard let record = try reader.vectorRecord(index.name, in: index.path),
                let table = record.tables.first?.name
            else { return nil }
            let work = try reader.current().vectorReading?.vectorIndexWork(table, upkeep)
            return work.map { ($0, record.source) }
        }
    }

    private func prepareVectorIndex(_ index: VectorIndexPath) {
        let count = endedTransactionCount
        guard !vectorWorker.isPrepared(index, at: count) else { return }
        do {
            guard var state = try vectorIndexState(index.name, in: index.path) else { return }
            let mayWork = !isReadOnly && !isWriting
            if mayWork, state.needsUpkeep { state = try prepare(index, state) }
            if !state.isTrained {
                warn(ofUntrained: index, state, isBeingTrained: mayWork && state.needsUpkeep)
            } else if !mayWork || !state.needsUpkeep {
                vectorWorker.notePrepared(index, at: count)
            }
        } catch {
            StoreLog.query.warning("Vector index \(index) is not up to date: \(error)")
        }
    }

    /// Does what is quick, unless another thread works on the index or is inside a write, and begins the rest.
    private func prepare(
        _ index: VectorIndexPath,
        _ state: VectorIndexState
    ) throws -> VectorIndexState {
        guard !hasOpenTransaction, vectorWorker.claim(index) else {
            vectorWorker.begin(index, of: self)
            return state
        }
        defer { vectorWorker.release(index) }
        try work(on: index, .quick) { false }
        let state = try vectorIndexState(index.name, in: index.path) ?? state
        if state.needsUpkeep || state.isLarge { vectorWorker.begin(index, of: self) }
        return state
    }

    private func warn(
        ofUntrained index: VectorIndexPath,
        _ state: VectorIndexState,
        isBeingTrained: Bool
    ) {
        let (count, needed) = (state.untrainedCount, state.options.minimumTrainingCount)
        let reason =
            isBeingTrained
            ? "being trained" : "not trained until it has \(needed) vectors (now \(count))"
        StoreLog.query.warning("Untrained index; queries may be slow: \(index) is \(reason)")
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
            let vectors = try reader.current().vectorReading
            guard let sequences = try vectors?.pendingVectors(of: table, limit: limit),
                !sequences.isEmpty
            else { return [] }
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
            try writer.changing().vectorWriting?.setVectors(vectors, in: table)
            // Live queries see no changed document.
            writer.noteShape(of: path)
        }
    }
}

extension StoreWriter {
    /// Stores a finished piece of work, unless the index was changed, replaced or deleted since.
    func change(
        _ index: VectorIndexPath,
        from source: String,
        _ change: any VectorIndexChange
    ) throws {
        guard let record = try vectorRecord(index.name, in: index.path), record.source == source,
            let table = record.tables.first?.name
        else { return }
        try changing().vectorWriting?.changeVectorIndex(table, change)
    }
}

extension StoreReader {
    /// The table of a vector index.
    func vectorTable(_ name: ExactText, in path: CollectionPath) throws(StoreError) -> String? {
        try vectorRecord(name, in: path)?.tables.first?.name
    }

    fileprivate func vectorRecord(
        _ name: ExactText,
        in path: CollectionPath
    ) throws(StoreError) -> IndexRecord? {
        try current().indexRecords(of: collectionID(path))
            .first { $0.kind == .vector && $0.name == name }
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
