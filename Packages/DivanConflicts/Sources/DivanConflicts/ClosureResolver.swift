/// A resolver that is one closure.
public struct ClosureResolver: ConflictResolver {
    private let body: @Sendable (Conflict) throws -> Resolution

    /// Wraps a closure, which must keep the promises of `ConflictResolver`.
    public init(_ body: @escaping @Sendable (Conflict) throws -> Resolution) {
        self.body = body
    }

    /// Returns what the closure returns.
    ///
    /// - Throws: What the closure throws.
    public func resolve(_ conflict: Conflict) throws -> Resolution { try body(conflict) }
}

extension ConflictResolver where Self == ClosureResolver {
    /// Wraps a closure, which must keep the promises of `ConflictResolver`.
    public static func closure(
        _ body: @escaping @Sendable (Conflict) throws -> Resolution
    ) -> Self {
        Self(body)
    }
}
