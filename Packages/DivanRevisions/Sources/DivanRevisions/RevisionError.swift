/// The reason why a revision cannot be created, added or read.
public enum RevisionError: Error, Equatable {
    /// The parent has the maximum generation; no revision can follow it.
    case generationOverflow(UInt64)
    /// The revision is not a leaf, or the tree does not contain it.
    case notALeaf(RevisionID)
    /// A first revision was added to a tree that already has revisions.
    case parentMissing
    /// The ID's generation is not the parent's plus 1.
    case wrongGeneration(RevisionID, expected: UInt64)
    /// The entry at `position` (0 is the revision itself) does not follow the previous entry.
    case brokenHistory(position: Int, generation: UInt64)
    /// The ID belongs to the other scheme: a version for a tree, or an ID that a database with version vectors does
    /// not accept.
    case foreignScheme(RevisionID)
    /// The version, its vector or its time is invalid.
    case badVersion(VersionError)
    /// The body of the winning revision was not loaded with the tree.
    case bodyMissing(RevisionID)
    /// The stored tree was written by a newer version.
    case unknownEncoding(version: UInt8)
    /// The stored tree is damaged at this byte.
    case damagedEncoding(offset: Int)
}

extension RevisionError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        switch self {
        case .generationOverflow(let generation):
            """
            revision of generation \(generation): generation limit reached; copy the document to \
            another ID and purge this one
            """
        case .notALeaf(let id):
            "revision \(id): no longer a leaf; read the document again and retry"
        case .parentMissing:
            "revision tree: a new revision needs a parent; pass the current revision"
        case .wrongGeneration(let id, let expected):
            "revision \(id): wrong generation; use \(expected), one more than its parent's"
        case .brokenHistory(let position, let generation):
            """
            revision history at position \(position): unexpected generation \(generation); \
            send consecutive generations, newest first
            """
        case .foreignScheme(let id):
            """
            revision \(id): this database and the peer name revisions differently (revision \
            trees or version vectors); upgrade the database, or sync with peers that match it
            """
        case .badVersion(let error):
            error.description
        case .bodyMissing(let id):
            "revision \(id): missing body; load the tree with the current body"
        case .unknownEncoding(let version):
            "stored revision tree: unknown version \(version); open it with a newer Divan"
        case .damagedEncoding(let offset):
            """
            stored revision tree: damaged at byte \(offset); purge the document and pull it \
            again, or restore a backup
            """
        }
    }
}
