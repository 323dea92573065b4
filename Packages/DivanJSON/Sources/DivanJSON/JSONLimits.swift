/// Limits on the memory that JSON text can use; every member is a maximum.
public struct JSONLimits: Sendable {
    /// Nesting of containers; the outermost counts as 1.
    ///
    /// The default, 128, is above the 100 of Couchbase Lite (`revisions.md` §3), so everything that it stores can
    /// be read, and reading, writing and freeing such a tree requires at most 512 KiB of stack.
    public var depth: Int

    /// Bytes of the text.
    ///
    /// The default, 64 MiB, is three times the largest document that Sync Gateway stores (20 MB), so that a
    /// `changes` list or an escaped body does not exceed it.
    public var byteCount: Int

    /// Shapes of objects that are kept from one document to the next (`ObjectShapes`): enough for several kinds
    /// of documents.
    static let shapeCount = 32
    /// Members of an object whose shape is kept.
    static let shapeMemberCount = 32
    /// Bytes of the keys of such an object.
    static let shapeKeyByteCount = 1_024
    /// By how many, in one place, objects unlike the previous ones may outnumber the alike ones before
    /// the place is given up.
    static let shapeMissCount: UInt8 = 8

    /// The default limits.
    public static let `default` = JSONLimits()

    /// Creates limits.
    public init(depth: Int = 128, byteCount: Int = 64 << 20) {
        self.depth = depth
        self.byteCount = byteCount
    }
}
