// Which history belongs to a scheme.
extension RevisionScheme {
    /// The history of a document that does not exist yet.
    public var emptyHistory: any RevisionHistory {
        switch self {
        case .trees: RevisionTree()
        case .vectors: VectorHistory()
        }
    }

    /// The history of a document with one revision.
    ///
    /// - Parameters:
    ///   - revision: The revision: its ID, flags, sequence and body.
    ///   - remote: The remote that is known to have it.
    /// - Returns: The history.
    /// - Throws: `foreignScheme` for an ID of another scheme.
    public func history(
        of revision: HistoryRevision,
        knownAt remote: RemoteID?
    ) throws(RevisionError) -> any RevisionHistory {
        switch self {
        case .trees: try RevisionTree(only: revision, knownAt: remote)
        case .vectors: VectorHistory(only: revision, knownAt: remote)
        }
    }

    /// Restores a history from `RevisionHistory.encoded()` and the row of its document.
    ///
    /// The scheme of version vectors also reads histories that were stored as a tree before the database was
    /// upgraded.
    ///
    /// - Throws: `unknownEncoding`, `damagedEncoding`.
    public func history(
        decoding bytes: Span<UInt8>,
        current: HistoryRevision
    ) throws(RevisionError) -> any RevisionHistory {
        switch self {
        case .trees:
            return try RevisionTree(decoding: bytes, current: current)
        case .vectors where bytes.count > 0 && bytes[0] == RevisionTree.encodingVersion:
            return VectorHistory(upgrading: try RevisionTree(decoding: bytes, current: current))
        case .vectors:
            return try VectorHistory(decoding: bytes, current: current)
        }
    }
}
