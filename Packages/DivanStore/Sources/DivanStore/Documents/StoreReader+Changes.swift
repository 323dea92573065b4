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
        damaged.tellInLog()
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
    ///
    /// A page has at most `pageCount` documents, and ends where their bodies have `byteCount` bytes: what it
    /// has beyond them is one body.
    public func changes(
        in collection: CollectionPath,
        after sequence: UInt64,
        pageCount: Int = 256,
        byteCount: Int = StoreLimits.pageByteCount
    ) -> ChangePages {
        ChangePages(
            reader: self,
            collection: collection,
            pageCount: max(1, pageCount),
            byteCount: byteCount,
            last: sequence
        )
    }

    /// How many of the next documents fill a page, at least one if there are any, and whether those are all.
    ///
    /// Told by what the rows say of their bodies, which are not read for it.
    fileprivate func pageLength(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int,
        byteCount: Int
    ) throws(StoreError) -> (count: Int, isLast: Bool) {
        let rows = try changes(in: collection, after: sequence, limit: limit)
        var (count, rest) = (0, byteCount)
        while count < rows.count, rest > 0 {
            // Of a size that is damaged nothing is believed.
            rest -= min(max(0, rows[count].bodyByteCount), StoreLimits.bodyByteCount)
            count += 1
        }
        return (count, count == rows.count && rows.count < limit)
    }
}

extension [DamagedChange] {
    fileprivate func tellInLog() {
        for change in self {
            StoreLog.database.warning("Passed over in the changes: \(change.error)")
        }
    }
}

/// The changes of a collection, ascending, a page at a time, so that memory holds no more than that.
public struct ChangePages {
    /// Documents that follow each other, and those between and behind them that cannot be read.
    public struct Page {
        /// What can be read.
        public let documents: [StoredDocument]
        /// What cannot, which the log does not tell.
        public let damaged: [DamagedChange]
        /// Whether there are no documents behind it.
        public let isLast: Bool

        /// What can be read; of what cannot the log is told.
        public func passingOverDamage() -> [StoredDocument] {
            damaged.tellInLog()
            return documents
        }
    }

    private let reader: StoreReader
    private let collection: CollectionPath
    private let pageCount: Int
    private let byteCount: Int
    /// Behind which change the next page begins; `nil` when there is none.
    private var last: UInt64?

    fileprivate init(
        reader: StoreReader,
        collection: CollectionPath,
        pageCount: Int,
        byteCount: Int,
        last: UInt64
    ) {
        self.reader = reader
        self.collection = collection
        self.pageCount = pageCount
        self.byteCount = byteCount
        self.last = last
    }

    /// The next page; `nil` behind the last.
    public mutating func next() throws(StoreError) -> Page? {
        guard let place = last else { return nil }
        let length = try reader.pageLength(
            in: collection,
            after: place,
            limit: pageCount,
            byteCount: byteCount
        )
        // Behind the last one may stand some that cannot be read, and are to be told.
        let wanted = length.isLast ? pageCount : length.count
        var damaged: [DamagedChange] = []
        let documents = try reader.documents(
            in: collection,
            after: place,
            limit: wanted,
            noting: &damaged
        )
        let isLast = documents.count < wanted
        last = isLast ? nil : documents.last?.sequence
        return Page(documents: documents, damaged: damaged, isLast: isLast)
    }
}
