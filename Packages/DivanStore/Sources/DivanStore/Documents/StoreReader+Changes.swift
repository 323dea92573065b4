internal import DivanLog

extension StoreReader {
    /// At most `limit` documents with a greater sequence, ascending, tombstones included.
    ///
    /// Unreadable documents are skipped and logged: fewer than `limit` documents means these are the last.
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
        damaged.logDamage()
        return documents
    }

    /// The same, but skipped documents are added to `damaged` instead of being logged.
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
    /// A page has at most `pageCount` documents, and ends when the bodies reach `byteCount` bytes, so it exceeds
    /// this size by at most one body.
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
    /// Determined from the body sizes in the rows, without reading the bodies.
    fileprivate func pageLength(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int,
        byteCount: Int
    ) throws(StoreError) -> (count: Int, isLast: Bool) {
        let rows = try changes(in: collection, after: sequence, limit: limit)
        var (count, rest) = (0, byteCount)
        while count < rows.count, rest > 0 {
            // A damaged size is not trusted.
            rest -= min(max(0, rows[count].bodyByteCount), StorageLimits.bodyByteCount)
            count += 1
        }
        return (count, count == rows.count && rows.count < limit)
    }
}

extension [DamagedChange] {
    fileprivate func logDamage() {
        for change in self {
            StoreLog.database.warning("Skipped a document in the changes feed: \(change.error)")
        }
    }
}

/// The changes of a collection, ascending, a page at a time, so that only one page is in memory.
public struct ChangePages {
    /// Consecutive documents, including unreadable ones.
    public struct Page {
        /// The readable documents.
        public let documents: [StoredDocument]
        /// The unreadable ones, which are not logged.
        public let damaged: [DamagedChange]
        /// Whether no documents follow.
        public let isLast: Bool

        /// Returns the readable documents and logs the others.
        public func passingOverDamage() -> [StoredDocument] {
            damaged.logDamage()
            return documents
        }
    }

    private let reader: StoreReader
    private let collection: CollectionPath
    private let pageCount: Int
    private let byteCount: Int
    /// The sequence after which the next page begins; `nil` if there is none.
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

    /// The next page; `nil` after the last.
    public mutating func next() throws(StoreError) -> Page? {
        guard let place = last else { return nil }
        let length = try reader.pageLength(
            in: collection,
            after: place,
            limit: pageCount,
            byteCount: byteCount
        )
        // The last document may be followed by unreadable ones, which must be reported.
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
