import DivanConflicts

extension ConflictResolver {
    /// Returns one sentence for each promise that a resolver breaks; none when it is sound.
    ///
    /// For the tests of an application, with any test framework. The resolver is shown conflicts
    /// between documents with different members, with a deleted side, and with long and short
    /// histories, and is asked twice about each: both answers must be the same. `collection` is
    /// where the documents pretend to come from; nothing is saved in it.
    public static func violations(
        of resolver: any ConflictResolverProtocol,
        in collection: Collection
    ) -> [String] {
        ResolverContract.violations(
            of: DocumentResolver(resolver: resolver, collection: collection)
        )
    }
}
