public import DivanRevisions

extension StorageEngine {
    /// Does nothing: there is no file.
    public func requireFile() throws(StoreError) {}

    /// Does nothing: there are no pages.
    public func checkPages() throws(StoreError) {}
}

extension StorageSnapshot {
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

    /// Unknown.
    public func indexByteCounts() throws(StoreError) -> [CollectionID: Int]? { nil }

    /// No bodies are compressed.
    public func packedCount(
        in collection: CollectionID,
        among count: Int
    ) throws(StoreError) -> (seen: Int, packed: Int) { (0, 0) }

    /// None.
    public func dictionaryByteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]] { [:] }

    /// None.
    public func damagedValues() throws(StoreError) -> [String] { [] }

    /// All of them.
    public func readableCollections() throws(StoreError) -> [(
        id: CollectionID, path: CollectionPath
    )] {
        var found: [(id: CollectionID, path: CollectionPath)] = []
        for path in try collections() {
            if let id = try collection(path) { found.append((id, path)) }
        }
        return found
    }

    /// Reads all rows.
    public func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws -> RowScanResult {
        try forEachRow(in: collection) { try body($0.get()) }
        return RowScanResult(liveCount: try state(of: collection).liveCount, namesAll: true)
    }

    /// None.
    public func namelessCollections() throws(StoreError) -> [CollectionID] { [] }

    /// All of them.
    public func readableValues(
        in space: ValueSpace
    ) throws(StoreError) -> [(key: String, value: [UInt8])] {
        try values(in: space)
    }

    /// Reads all of them.
    public func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])] {
        try values(in: space).filter { $0.key.utf8.starts(with: prefix.utf8) }
    }

    /// None.
    public func damagedRows(in collection: CollectionID) throws(StoreError) -> [DamagedRow] { [] }

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
}

extension StorageTransaction {
    /// Changes nothing.
    public func discard(
        _ sequences: [UInt64],
        in collection: CollectionID,
        rebuildingIndexes: Bool
    ) throws(StoreError) -> CollectionState {
        try state(of: collection)
    }

    /// Changes nothing.
    public func repairNames(of collection: CollectionID) throws(StoreError) -> NameRepair {
        NameRepair()
    }

    /// Does nothing.
    public func changeIndexes(_ sql: String) throws(StoreError) {}

    /// Runs the statements one after another.
    public func makeIndexesBesideDamage(_ statements: [String]) throws(StoreError) {
        for sql in statements { try changeIndexes(sql) }
    }

    /// Reports nothing.
    public func changeIndexes(_ sql: String, controlledBy control: IndexBuildControl) throws {
        try control.check()
        try changeIndexes(sql)
    }

    /// Does nothing.
    public func dropIndexTable(_ table: String) throws(StoreError) {}

    /// Does nothing.
    public func removeIndexes(
        of collection: CollectionID,
        except names: [String]
    ) throws(StoreError) {}

    /// Does nothing.
    public func verifyIndexes(of collection: CollectionID) throws(StoreError) {}

    /// Changes nothing.
    public func discardDamagedValues() throws(StoreError) {}

    /// The transaction is still open.
    public var undoing: StoreError? { nil }

    /// Changes nothing.
    public func requireFormat(_ format: StorageFormat) throws(StoreError) {}

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
}
