public import DivanJSON

/// How text is compared and ordered.
public struct QueryCollation: Hashable, Sendable {
    /// Whether text is ordered by the Unicode collation algorithm instead of by bytes.
    public var isUnicode: Bool
    /// Whether `a` and `A` differ.
    public var isCaseSensitive: Bool
    /// Whether `a` and `á` differ; without `isUnicode` they always do.
    public var isAccentSensitive: Bool
    /// The language whose order is used with `isUnicode`, such as `sv`; `nil` means the root order.
    public var locale: ExactText?

    /// Creates a collation; without arguments, the order of UTF-8 bytes.
    public init(
        isUnicode: Bool = false,
        isCaseSensitive: Bool = true,
        isAccentSensitive: Bool = true,
        locale: ExactText? = nil
    ) {
        self.isUnicode = isUnicode
        self.isCaseSensitive = isCaseSensitive
        self.isAccentSensitive = isAccentSensitive
        self.locale = locale
    }

    /// The order of UTF-8 bytes.
    public static let binary = QueryCollation()
}

/// A `COLLATE`; unspecified options are inherited from the enclosing `COLLATE`.
public struct QueryCollationChange: Hashable, Sendable {
    /// `UNICODE`, `NOUNICODE` or neither.
    public var isUnicode: Bool?
    /// `CASE`, `NOCASE` or neither.
    public var isCaseSensitive: Bool?
    /// `DIAC`, `NODIAC` or neither.
    public var isAccentSensitive: Bool?
    /// The locale after `UNICODE:`.
    public var locale: ExactText?

    /// Creates a change; without arguments, no change.
    public init(
        isUnicode: Bool? = nil,
        isCaseSensitive: Bool? = nil,
        isAccentSensitive: Bool? = nil,
        locale: ExactText? = nil
    ) {
        self.isUnicode = isUnicode
        self.isCaseSensitive = isCaseSensitive
        self.isAccentSensitive = isAccentSensitive
        self.locale = locale
    }

    /// The collation that results from applying this change to `outer`.
    public func applied(to outer: QueryCollation) -> QueryCollation {
        QueryCollation(
            isUnicode: isUnicode ?? outer.isUnicode,
            isCaseSensitive: isCaseSensitive ?? outer.isCaseSensitive,
            isAccentSensitive: isAccentSensitive ?? outer.isAccentSensitive,
            locale: locale ?? outer.locale
        )
    }
}
