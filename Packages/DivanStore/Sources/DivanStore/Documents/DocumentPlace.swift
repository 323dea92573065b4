public import DivanRevisions

/// Where a document stands among the changes of its collection, and for how long.
public struct DocumentPlace: Equatable, Sendable {
    /// The document.
    public var documentID: DocumentID
    /// The change number inside the collection.
    public var sequence: UInt64
    /// When it expires, in milliseconds since 1970; `nil` = never.
    public var expiration: Int64?
}

extension StoreReader {
    /// At most `limit` documents behind `sequence`, ascending, tombstones included; no body is read.
    public func places(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [DocumentPlace] {
        let rows = try current().rows(
            in: self.collection(collection).id,
            after: sequence,
            limit: limit,
            flags: [],
            content: .summary
        )
        return rows.map {
            DocumentPlace(
                documentID: $0.documentID,
                sequence: $0.sequence,
                expiration: $0.expiration
            )
        }
    }
}
