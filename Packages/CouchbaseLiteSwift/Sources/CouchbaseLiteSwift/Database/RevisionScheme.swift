internal import DivanRevisions

/// How a database identifies the revisions of its documents.
///
/// Both sides of a connection must use the same scheme. Couchbase Lite 2 and 3 use revision trees, Couchbase Lite 4
/// uses version vectors, and Sync Gateway 4 supports both. Decision 0012 explains the default. An addition to the
/// official API.
public enum RevisionScheme: String, CaseIterable, Sendable {
    /// Revision trees: IDs of the form Revision trees: IDs of the form `generation-digest`, with the ancestors of each
    /// revision; the default.
    case revisionTrees
    /// Version vectors: IDs of the form `time@source`, with the versions that the writer of a revision had seen.
    case versionVectors
}

extension RevisionScheme {
    init(_ scheme: DivanRevisions.RevisionScheme) {
        switch scheme {
        case .trees: self = .revisionTrees
        case .vectors: self = .versionVectors
        }
    }

    var storeScheme: DivanRevisions.RevisionScheme {
        switch self {
        case .revisionTrees: .trees
        case .versionVectors: .vectors
        }
    }
}
