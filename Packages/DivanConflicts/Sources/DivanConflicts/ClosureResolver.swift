/// A resolver that calls a closure.
public struct ClosureResolver: ConflictResolver {
    private let body: @Sendable (Conflict) throws -> Resolution

    /// Wraps a closure, which must meet the requirements of `ConflictResolver`.
    public init(_ body: @escaping @Sendable (Conflict) throws -> Resolution) {
        self.body = body
    }

    /// Returns the result of the closure.
    ///
    /// - Throws: The errors of the closure.
    public func resolve(_ conflict: Conflict) throws -> Resolution { try body(conflict) }
}

extension ConflictResolver where Self == ClosureResolver {
    /// Wraps a closure, which must meet the requirements of `ConflictResolver`.
    public static func closure(
        _ body: @escaping @Sendable (Conflict) throws -> Resolution
    ) -> Self {
        Self(body)
    }
}
