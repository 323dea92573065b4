/// Bounds of what a query may cost before it runs.
public struct QueryLimits: Sendable {
    /// Levels of expressions and sub-queries; 100, which fit a stack of 4 MiB even in a debug build.
    public var depth = 100
    /// Bytes of SQL++ or JSON text; 1 MiB.
    public var byteCount = 1 << 20
    /// Sources of one statement, joined and unnested ones included; 64, as SQLite joins no more.
    public var sourceCount = 64
    /// Arguments of one function; 127, as SQLite takes no more.
    public var argumentCount = 127

    /// The bounds that are used where nobody says otherwise.
    public static let standard = QueryLimits()

    /// Creates the standard bounds, to change some of them.
    public init() {}
}
