public import DivanRevisions

/// The position of a document among the changes of its collection, and when it expires.
public struct DocumentPosition: Equatable, Sendable {
    /// The document.
    public var documentID: DocumentID
    /// The sequence in the collection.
    public var sequence: UInt64
    /// When it expires, in milliseconds since 1970; `nil` means never.
    public var expiration: Int64?
}

extension StoreReader {
    /// At most `limit` documents after `sequence`, ascending, tombstones included; no body is read.
    public func places(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [DocumentPosition] {
        let rows = try current().rows(
            in: self.collection(collection).id,
            after: sequence,
            limit: limit,
            flags: [],
            content: .summary
        )
        return rows.map {
            DocumentPosition(
                documentID: $0.documentID,
                sequence: $0.sequence,
                expiration: $0.expiration
            )
        }
    }
}
