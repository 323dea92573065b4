internal import DivanLog

extension StoreReader {
    /// At most `limit` documents with a greater sequence, ascending, tombstones included.
    ///
    /// One that cannot be read is passed over, and told in the log: fewer than `limit` are the last ones.
    public func documents(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [StoredDocument] {
        var damaged: [DamagedChange] = []
        let documents = try documents(
            in: collection,
            after: sequence,
            limit: limit,
            noting: &damaged
        )
        for change in damaged {
            StoreLog.database.warning("Passed over in the changes: \(change.error)")
        }
        return documents
    }

    /// The same; what is passed over is added to `damaged`, and not told in the log.
    public func documents(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [StoredDocument] {
        let collection = try self.collection(collection)
        let rows = try current().changes(
            in: collection.id,
            after: sequence,
            limit: limit,
            content: .whole,
            noting: &damaged
        )
        return rows.map { StoredDocument($0) }
    }

    /// All documents with a greater sequence, tombstones included, a page at a time.
    public func changes(in collection: CollectionPath, after sequence: UInt64) -> ChangePages {
        ChangePages(reader: self, collection: collection, last: sequence)
    }
}

/// The changes of a collection, ascending, a page at a time, so that memory holds no more than that.
public struct ChangePages {
    /// Documents in a page.
    static let pageCount = 256

    /// Documents that follow each other, and those between and behind them that cannot be read.
    public struct Page {
        /// What can be read.
        public let documents: [StoredDocument]
        /// What cannot, which the log does not tell.
        public let damaged: [DamagedChange]
    }

    private let reader: StoreReader
    private let collection: CollectionPath
    /// Behind which change the next page begins; `nil` when there is none.
    private var last: UInt64?

    fileprivate init(reader: StoreReader, collection: CollectionPath, last: UInt64) {
        self.reader = reader
        self.collection = collection
        self.last = last
    }

    /// The next page; `nil` behind the last.
    public mutating func next() throws(StoreError) -> Page? {
        guard let place = last else { return nil }
        var damaged: [DamagedChange] = []
        let documents = try reader.documents(
            in: collection,
            after: place,
            limit: Self.pageCount,
            noting: &damaged
        )
        last = documents.count == Self.pageCount ? documents.last?.sequence : nil
        return Page(documents: documents, damaged: damaged)
    }
}
