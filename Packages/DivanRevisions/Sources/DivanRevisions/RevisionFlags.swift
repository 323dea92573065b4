/// What is known about one revision in a tree; the raw values are part of the stored encoding.
///
/// Source: `revisions.md` §4.
public struct RevisionFlags: OptionSet, Hashable, Sendable {
    /// The bits as they are stored.
    public let rawValue: UInt8

    /// Takes the bits unchanged.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Deletes the document.
    public static let tombstone = RevisionFlags(rawValue: 1 << 0)
    /// The body names blobs.
    public static let hasBlobs = RevisionFlags(rawValue: 1 << 1)
    /// The body is kept although the revision is not a leaf: a remote has it, so it can serve as the
    /// source of a delta and as the base of a merge.
    public static let keepsBody = RevisionFlags(rawValue: 1 << 2)
    /// Belongs to a branch that came from a remote and is unresolved.
    public static let conflict = RevisionFlags(rawValue: 1 << 3)
    /// A tombstone that ends the losing branch of a resolved conflict.
    public static let closed = RevisionFlags(rawValue: 1 << 4)

    /// Every flag that this version knows.
    static let all: RevisionFlags = [.tombstone, .hasBlobs, .keepsBody, .conflict, .closed]
}
