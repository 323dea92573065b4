internal import DivanRevisions

/// A version of a document: what `DocumentCollection.save(_:ifRevision:)` compares to detect conflicts.
public struct Revision: Sendable, Hashable, CustomStringConvertible {
    let revisionID: RevisionID
    /// The local number of the change that stored it; later changes in the collection have greater numbers.
    public let sequence: UInt64

    init(_ revisionID: RevisionID, sequence: UInt64) {
        self.revisionID = revisionID
        self.sequence = sequence
    }

    /// The ID that all peers use for it, such as `2-8f4a…`, or `1a2b…@source` with version vectors.
    public var id: String { revisionID.description }

    /// The same as ``id``.
    public var description: String { id }

    /// Whether both have the same ID.
    public static func == (left: Revision, right: Revision) -> Bool {
        left.revisionID == right.revisionID
    }

    /// Hashes the ID.
    public func hash(into hasher: inout Hasher) { hasher.combine(revisionID) }
}
