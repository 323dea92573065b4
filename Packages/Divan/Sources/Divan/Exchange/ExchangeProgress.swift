internal import DivanExchange

extension Database {
    /// How far an export, a dump, an import or a restoration is.
    public struct ExchangeProgress: Hashable, Sendable {
        /// The number of documents read or written so far.
        public var documentCount: Int
        /// The number of documents to write; `nil` if it is not known.
        ///
        /// Documents that are damaged or expired are counted, but not written. It is known for a dump, and for an export
        /// except while the columns of a table are determined for the documents of a query.
        public var totalCount: Int?

        /// The part that is done, 0 to 1; `nil` if it is not known.
        public var fractionCompleted: Double? {
            totalCount.map { $0 > 0 ? min(1, Double(documentCount) / Double($0)) : 1 }
        }

        /// Describes progress.
        public init(documentCount: Int = 0, totalCount: Int? = nil) {
            self.documentCount = documentCount
            self.totalCount = totalCount
        }

        init(_ progress: DivanExchange.ExchangeProgress) {
            self.init(documentCount: progress.documentCount, totalCount: progress.totalCount)
        }
    }
}
