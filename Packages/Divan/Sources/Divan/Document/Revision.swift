internal import DivanRevisions

/// A version of a document: what `DocumentCollection.save(_:ifRevision:)` compares to detect conflicts.
public struct Revision: Sendable, Hashable, CustomStringConvertible {
    let revisionID: RevisionID
    /// The local number of the change that stored it; later changes in the collection have greater numbers.
    ///
    /// 0 if the revision was created from its ID.
    public let sequence: UInt64

    init(_ revisionID: RevisionID, sequence: UInt64) {
        self.revisionID = revisionID
        self.sequence = sequence
    }

    /// Creates a revision from its ID, such as the one that a client of a server sends in `If-Match`.
    ///
    /// - Parameter id: The ``id`` of a revision.
    /// - Throws: ``DivanError/Code/invalidArgument`` for any other text.
    public init(_ id: String) throws {
        guard let revisionID = RevisionID(ofAnyScheme: id) else {
            throw DivanError(
                .invalidArgument,
                place: "revision \(String(id.prefix(80)).debugDescription)",
                problem: "it is not the ID of a revision",
                remedy: "pass the id of a Revision"
            )
        }
        self.init(revisionID, sequence: 0)
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
