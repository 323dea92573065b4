public import DivanConflicts

/// Resolves conflicts with an implementation of `ConflictResolver` of DivanConflicts; use it as `.custom(_:)`.
///
/// It decides by revisions and bodies, without documents. An addition to the official API.
public struct AdaptedConflictResolver: ConflictResolverProtocol, Sendable {
    let resolver: any DivanConflicts.ConflictResolver

    /// Adapts a resolver; `ResolverContract` tests one.
    public init(_ resolver: any DivanConflicts.ConflictResolver) {
        self.resolver = resolver
    }

    /// Resolves a conflict of saved documents; a deletion wins, and if the resolver throws, the remote document.
    ///
    /// For resolvers that delegate conflicts. Replicators call the adapted resolver itself, also for deletions; if it
    /// throws, the document stays in conflict.
    public func resolve(conflict: Conflict) -> Document? {
        BundledConflictResolver.decide(conflict, by: resolver)
    }
}

extension ConflictResolverProtocol where Self == AdaptedConflictResolver {
    /// Resolves conflicts with an implementation of `ConflictResolver` of DivanConflicts.
    public static func custom(_ resolver: any DivanConflicts.ConflictResolver) -> Self {
        Self(resolver)
    }
}
