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

    /// The bounds used unless others are given.
    public static let `default` = JSONLimits()

    /// Creates bounds.
    public init(depth: Int = 128, byteCount: Int = 64 << 20) {
        self.depth = depth
        self.byteCount = byteCount
    }
}
