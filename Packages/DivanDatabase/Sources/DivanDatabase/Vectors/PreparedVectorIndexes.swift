/// The trained indexes that were prepared since the last transaction.
struct PreparedVectorIndexes {
    private var transactionCount = 0
    private var indexes: Set<VectorIndexPath> = []

    /// Whether an index was prepared after this number of transactions.
    func contains(_ index: VectorIndexPath, at count: Int) -> Bool {
        count == transactionCount && indexes.contains(index)
    }

    mutating func insert(_ index: VectorIndexPath, at count: Int) {
        if count != transactionCount { indexes = [] }
        transactionCount = count
        indexes.insert(index)
    }
}
