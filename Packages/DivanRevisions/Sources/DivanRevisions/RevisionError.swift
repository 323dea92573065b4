/// Why a revision cannot be made, added or read.
public enum RevisionError: Error, Equatable {
    /// The parent has the greatest generation; no revision can follow it.
    case generationOverflow(UInt64)
    /// The named revision is not a leaf, or the tree does not have it.
    case notALeaf(RevisionID)
    /// A first revision was offered to a tree that has revisions.
    case parentMissing
    /// The ID's generation is not the parent's plus 1.
    case wrongGeneration(RevisionID, expected: UInt64)
    /// The entry at `position` (0 is the revision itself) does not follow from the one before.
    case brokenHistory(position: Int, generation: UInt64)
    /// It belongs to the other scheme: a version for a tree, or an ID that a database of version vectors
    /// does not accept.
    case foreignScheme(RevisionID)
    /// The version, its vector or its time is refused.
    case badVersion(VersionError)
    /// The body of the revision that should stay was not passed in with the tree.
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
            Revision of generation \(generation): none can follow; copy the document to another \
            ID and purge this one
            """
        case .notALeaf(let id):
            "Revision \(id): it is no leaf any more; read the document again and repeat"
        case .parentMissing:
            "Revision tree: it has revisions, so a new one needs a parent; name the current one"
        case .wrongGeneration(let id, let expected):
            "Revision \(id): its generation should be \(expected); digest it from its parent"
        case .brokenHistory(let position, let generation):
            """
            Revision history at position \(position): generation \(generation) does not follow; \
            send generations that descend one by one
            """
        case .foreignScheme(let id):
            """
            Revision \(id): it belongs to another scheme of revisions than this database; upgrade \
            the database, or sync it with peers of its scheme
            """
        case .badVersion(let error):
            error.description
        case .bodyMissing(let id):
            "Revision \(id): its body is not here; load the tree with the current body"
        case .unknownEncoding(let version):
            "Stored revision tree: version \(version) is unknown; open it with a newer Divan"
        case .damagedEncoding(let offset):
            """
            Stored revision tree at byte \(offset): damaged; purge the document and pull it again \
            or restore a copy
            """
        }
    }
}
