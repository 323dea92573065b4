internal import DivanRevisions

/// How a database names the revisions of its documents.
///
/// It decides which peers the database can sync with: both sides of a connection must use the same scheme. Couchbase
/// Lite 4 and Sync Gateway 4 know vectors, Couchbase Lite 2 and 3 trees; Sync Gateway 4 knows both. Decision 0012 gives
/// the reasons for the default. An addition to the official API.
public enum RevisionScheme: String, CaseIterable, Sendable {
    /// `generation-digest`, with the ancestors of each revision; the default.
    case revisionTrees
    /// `time@source`: what the writer of a revision had seen.
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
