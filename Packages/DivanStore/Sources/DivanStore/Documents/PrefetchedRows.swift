/// Rows that were read in one run because they will be requested next, in that order.
struct PrefetchedRows {
    private var rows: [DocumentRow] = []  // the next one last
    private var collection: CollectionID?

    init() {}

    init(_ rows: consuming [DocumentRow], of collection: CollectionID) {
        self.rows = rows
        self.rows.reverse()
        self.collection = collection
    }

    /// Removes and returns the row with a sequence, if it is the next one.
    mutating func take(_ sequence: UInt64, in collection: CollectionID) -> DocumentRow? {
        guard rows.last?.sequence == sequence, self.collection == collection else { return nil }
        return rows.popLast()
    }

    mutating func forget() {
        if !rows.isEmpty { rows = [] }
    }
}
