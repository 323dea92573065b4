/// The properties of a revision; the raw values are part of the stored encoding.
///
/// Source: `revisions.md` §4.
public struct RevisionFlags: OptionSet, Hashable, Sendable {
    /// The stored bits.
    public let rawValue: UInt8

    /// Creates flags from bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The revision deletes the document.
    public static let tombstone = RevisionFlags(rawValue: 1 << 0)
    /// The body refers to blobs.
    public static let hasBlobs = RevisionFlags(rawValue: 1 << 1)
    /// The body is kept although the revision is not a leaf: a remote has it, so it can be the source of a delta
    /// and the base of a merge.
    public static let keepsBody = RevisionFlags(rawValue: 1 << 2)
    /// The revision belongs to a branch from a remote that is in conflict.
    public static let conflict = RevisionFlags(rawValue: 1 << 3)
    /// A tombstone that ends the losing branch of a resolved conflict.
    public static let closed = RevisionFlags(rawValue: 1 << 4)

    /// Every flag that this version knows.
    static let all: RevisionFlags = [.tombstone, .hasBlobs, .keepsBody, .conflict, .closed]
}
