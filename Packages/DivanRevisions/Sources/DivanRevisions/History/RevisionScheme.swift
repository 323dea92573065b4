/// The scheme of a database's revision IDs, which also determines the order of revisions.
///
/// The raw values are stored.
public enum RevisionScheme: String, Sendable, CaseIterable {
    /// Revision trees, as in Couchbase Lite 1 to 3 and Sync Gateway before 4.
    case trees
    /// Version vectors, as in Couchbase Lite 4 and Sync Gateway 4.
    case vectors

    /// Whether databases of this scheme accept revisions with this ID.
    public func takes(_ id: RevisionID) -> Bool {
        self == .vectors || !id.isVersion
    }

    /// Parses an ID; `nil` for text that is not an ID of this scheme.
    public func revisionID(utf8 text: Span<UInt8>) -> RevisionID? {
        switch self {
        case .trees: RevisionID(utf8: text)
        case .vectors: RevisionID(utf8OfAnyScheme: text)
        }
    }

    /// The answer to a revision that a peer proposes to push; only the current revision is relevant.
    ///
    /// - Parameters:
    ///   - id: The proposed revision.
    ///   - parent: The revision that the peer believes to be current here.
    ///   - current: The current revision.
    ///   - isTombstone: Whether the current revision deletes the document.
    /// - Returns: The answer.
    public func standing(
        ofProposed id: RevisionID,
        after parent: RevisionID?,
        on current: RevisionID,
        isTombstone: Bool
    ) -> ProposedRevisionStatus {
        if isSame(id, current) { return .known }
        guard let parent else { return isTombstone ? .accept : .conflict }
        if isSame(parent, current) { return .accept }
        // A source has all of its own earlier revisions.
        if let new = id.version, let held = current.version, new.source == held.source,
            new.time > held.time
        {
            return .accept
        }
        return .conflict
    }

    private func isSame(_ first: RevisionID, _ second: RevisionID) -> Bool {
        self == .vectors ? first.isSame(as: second) : first == second
    }
}
