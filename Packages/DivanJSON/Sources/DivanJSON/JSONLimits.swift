/// What a JSON text may make us hold; every member is a maximum.
public struct JSONLimits: Sendable {
    /// Containers inside each other; the outermost counts as 1.
    ///
    /// The default, 128, is above the 100 of Couchbase Lite (`revisions.md` §3), so what it stores
    /// can be read, and reading, writing and freeing such a tree fits a stack of 512 KiB.
    public var depth: Int

    /// Bytes of the text.
    ///
    /// The default, 64 MiB, is three times the largest document that Sync Gateway stores (20 MB),
    /// so that a `changes` list or an escaped body never meets it by accident.
    public var byteCount: Int

    /// Shapes of objects that are kept from one document to the next (`ObjectShapes`): those of several kinds
    /// of documents.
    static let shapeCount = 32
    /// Members of an object whose shape is kept.
    static let shapeMemberCount = 32
    /// Bytes of the keys of such an object.
    static let shapeKeyByteCount = 1_024
    /// Objects in a place that are unlike those before, more than those that are alike, until nobody expects
    /// anything of them any more.
    static let shapeMissCount: UInt8 = 8

    /// The bounds used unless others are given.
    public static let `default` = JSONLimits()

    /// Creates bounds.
    public init(depth: Int = 128, byteCount: Int = 64 << 20) {
        self.depth = depth
        self.byteCount = byteCount
    }
}
