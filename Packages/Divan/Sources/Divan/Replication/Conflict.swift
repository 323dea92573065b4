import DivanConflicts

/// One document that was changed on both sides since they last agreed.
public struct Conflict: Sendable {
    /// The document's ID.
    public let documentID: String
    /// The document in this database; `nil` if it was deleted here.
    public let localDocument: Document?
    /// The document that the peer sent; `nil` if it was deleted there.
    public let remoteDocument: Document?
    /// The common ancestor of both; `nil` if it is no longer stored here.
    ///
    /// For rules that depend on which side changed what. An addition to the official API.
    public let baseDocument: Document?
}

/// Decides how a conflict is resolved.
///
/// `Sendable`, because it is called on the library's threads: a class must be `final` and immutable, or use locks.
/// Swift 5 source compiles unchanged.
@preconcurrency
public protocol ConflictResolverProtocol: Sendable {
    /// Returns the local document, the remote one, or a new or edited one; `nil` deletes.
    ///
    /// Called on a private concurrent queue, several conflicts at a time, outside any transaction: it may use the
    /// database and take its time. Called again if the local document changes meanwhile. It must return the same answer
    /// each time for the same conflict, or two peers overwrite each other forever. At most one of the two documents is
    /// `nil`.
    func resolve(conflict: Conflict) -> Document?
}

/// The conflict rules included in the library, spelled as the official API spells the default one.
///
/// `ConflictResolver.fieldMerge` and `.fieldMerge` are the same; ``BundledConflictResolver`` describes what each does.
public final class ConflictResolver {
    private init() {}

    /// A deletion wins, then the longer history, then the greater revision ID, then the remote revision.
    ///
    /// Peers that follow it choose the same winner independently.
    public static var `default`: any ConflictResolverProtocol { .default }

    /// The local revision wins; for only one of two peers.
    public static var localWins: any ConflictResolverProtocol { .localWins }

    /// The remote revision wins.
    public static var remoteWins: any ConflictResolverProtocol { .remoteWins }

    /// Merges both documents property by property, using their common ancestor.
    public static var fieldMerge: any ConflictResolverProtocol { .fieldMerge }

    /// Leaves each conflict open, and reports it as a failed document with code 8.
    public static var leaveOpen: any ConflictResolverProtocol { .leaveOpen }
}

extension ConflictResolver {
    /// Returns one sentence for each rule of the contract that a resolver breaks; none if it is sound.
    ///
    /// For an application's tests, with any test framework. The resolver is called for conflicts between documents with
    /// different members, with a deleted side, and with long and short histories, twice for each: both answers must be
    /// the same. The documents claim to come from `collection`; nothing is saved in it.
    public static func violations(
        of resolver: any ConflictResolverProtocol,
        in collection: Collection
    ) -> [String] {
        ResolverContract.violations(
            of: DocumentResolver(resolver: resolver, collection: collection)
        )
    }
}
