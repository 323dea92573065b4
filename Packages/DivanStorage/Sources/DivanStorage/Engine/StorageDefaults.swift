public import DivanRevisions

extension StorageEngine {
    /// There is no file.
    public var file: (any StorageFile)? { nil }
    /// All rows are read first.
    public var querying: (any StorageQuerying)? { nil }
}

// MARK: - Abilities

extension StorageReadingAbilities {
    /// Queries run on copies.
    public var querying: (any SnapshotQuerying)? { nil }
    /// Unknown.
    public var space: (any StorageSpace)? { nil }
    /// None.
    public var vectorReading: (any VectorReading)? { nil }
}

extension StorageSnapshot {
    /// All data is intact.
    public var damageReading: any DamageReading { IntactSnapshot(self) }
}

extension StorageWritingAbilities {
    /// None.
    public var sqlIndexing: (any SQLIndexing)? { nil }
    /// None.
    public var documentIndexing: (any DocumentIndexing)? { nil }
    /// None.
    public var vectorWriting: (any VectorWriting)? { nil }
    /// None.
    public var packing: (any StoragePacking)? { nil }
    /// None.
    public var damageRepair: (any DamageRepair)? { nil }
    /// There is none.
    public var formatWriting: (any StorageFormatWriting)? { nil }
}

/// A snapshot whose data cannot be damaged: everything can be read.
private final class IntactSnapshot: DamageReading {
    private let snapshot: any StorageSnapshot

    init(_ snapshot: any StorageSnapshot) {
        self.snapshot = snapshot
    }

    func damagedValues() -> [String] { [] }

    func damagedRows(in collection: CollectionID) -> [DamagedRow] { [] }

    func namelessCollections() -> [CollectionID] { [] }

    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)] {
        var found: [(id: CollectionID, path: CollectionPath)] = []
        for path in try snapshot.collections() {
            if let id = try snapshot.collection(path) { found.append((id, path)) }
        }
        return found
    }

    func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws -> RowScanResult {
        try snapshot.forEachRow(in: collection) { try body($0.get()) }
        let state = try snapshot.state(of: collection)
        return RowScanResult(liveCount: state.liveCount, namesAll: true)
    }

    func readableValues(
        in space: ValueSpace
    ) throws(StoreError) -> [(key: String, value: [UInt8])] {
        try snapshot.values(in: space)
    }
}

// MARK: - Batches

extension StorageSnapshot {
    /// The same as `row`.
    public func longRow(
        _ documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow? {
        try row(documentID, in: collection, content: .whole)
    }

    /// All rows can be read.
    public func changes(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        content: RowContent,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [DocumentRow] {
        try rows(in: collection, after: sequence, limit: limit, flags: [], content: content)
    }

    /// Looks up each.
    public func summaries(
        of documentIDs: [DocumentID],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow] {
        var found: [DocumentRow] = []
        for documentID in documentIDs {
            do throws(StoreError) {
                let row = try row(documentID, in: collection, content: .summary)
                if let row { found.append(row) }
            } catch  where error.concernsOneDocument {
                continue
            }
        }
        return found
    }

    /// Reads that many rows, and discards those that were not requested.
    public func run(
        of sequences: [UInt64],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow] {
        guard let first = sequences.first, first > 0 else { return [] }
        let rows = try rows(
            in: collection,
            after: first - 1,
            limit: sequences.count,
            flags: [],
            content: .whole
        )
        return zip(rows, sequences).prefix { $0.sequence == $1 }.map(\.0)
    }

    /// Reads the rows page by page.
    public func forEachRow(
        in collection: CollectionID,
        _ body: (Result<DocumentRow, StoreError>) throws -> Void
    ) throws {
        var last: UInt64 = 0
        while true {
            let rows = try rows(
                in: collection,
                after: last,
                limit: 256,
                flags: [],
                content: .whole
            )
            for row in rows { try body(.success(row)) }
            guard let row = rows.last else { return }
            last = row.sequence
        }
    }

    /// Reads the rows and counts.
    public func singleRevisionCount(
        in collection: CollectionID,
        within sequences: Range<UInt64>
    ) throws(StoreError) -> Int {
        var (count, last) = (0, sequences.lowerBound - min(sequences.lowerBound, 1))
        while true {
            let rows = try rows(
                in: collection,
                after: last,
                limit: 256,
                flags: [],
                content: .summary
            )
            for row in rows where row.tree.isSingle && sequences.contains(row.sequence) {
                count += 1
            }
            guard let next = rows.last?.sequence, next < sequences.upperBound else { return count }
            last = next
        }
    }

    /// Reads the rows with this flag.
    public func conflictedDocuments(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [(documentID: DocumentID, sequence: UInt64)] {
        try rows(
            in: collection,
            after: sequence,
            limit: limit,
            flags: .conflicted,
            content: .summary
        ).map { ($0.documentID, $0.sequence) }
    }

    /// Reads all values.
    public func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])] {
        try values(in: space).filter { $0.key.utf8.starts(with: prefix.utf8) }
    }
}

extension StorageTransaction {
    /// The transaction is open.
    public var undoing: StoreError? { nil }

    /// Stores the row, then the counters.
    public func put(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) {
        try put(row, in: state.id)
        try setState(state)
    }

    /// Looks up the document, then stores the row.
    public func add(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) -> Bool {
        guard try self.row(row.documentID, in: state.id, content: .summary) == nil
        else { return false }
        try put(row, leaving: state)
        return true
    }

    /// Looks up the documents, then stores the rows.
    public func add(
        _ rows: [DocumentRow],
        after state: CollectionState
    ) throws(StoreError) -> Bool {
        let documentIDs = rows.map(\.documentID)
        guard Set(documentIDs).count == rows.count else { return false }
        for documentID in documentIDs
        where try row(documentID, in: state.id, content: .summary) != nil {
            return false
        }
        var state = state
        for row in rows {
            state.take(row)
            try put(row, leaving: state)
        }
        return true
    }

    /// Reads the row, and stores it with the other tree.
    public func setTree(
        _ tree: RowTree,
        replacing old: RowTree,
        at sequence: UInt64,
        in collection: CollectionID
    ) throws(StoreError) {
        guard sequence > 0 else { return }
        let found = try rows(
            in: collection,
            after: sequence - 1,
            limit: 1,
            flags: [],
            content: .whole
        )
        guard var row = found.first, row.sequence == sequence else { return }
        row.tree = tree
        try replace(row, in: collection)
    }

    /// Stores a row at its old sequence.
    ///
    /// An engine may have kept the counters with the row.
    private func replace(_ row: DocumentRow, in collection: CollectionID) throws(StoreError) {
        let counters = try state(of: collection)
        try put(row, in: collection)
        try setState(counters)
    }

    /// Reads the row, and stores it with the other tree.
    public func markSingle(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        at remote: RemoteID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool {
        guard var row = try row(documentID, in: collection, content: .whole),
            row.tree == .single(knownAt: nil), row.revisionID == revisionID
        else { return false }
        row.tree = .single(knownAt: remote)
        try replace(row, in: collection)
        return true
    }
}
