import DivanConflicts

/// One document, changed on both sides since they last agreed.
public struct Conflict: Sendable {
    /// The document's ID.
    public let documentID: String
    /// What this database holds; `nil` when it was deleted here.
    public let localDocument: Document?
    /// What the peer sent; `nil` when it was deleted there.
    public let remoteDocument: Document?
    /// What both were made of, the common ancestor; `nil` when it is no longer kept here.
    ///
    /// For rules that look at who changed what. An addition to the official API.
    public let baseDocument: Document?
}

/// Decides what becomes of a conflict.
///
/// `Sendable`, as it is asked on threads of the library: a class is `final` and constant, or locks.
/// Swift 5 source compiles as it is.
@preconcurrency
public protocol ConflictResolverProtocol: Sendable {
    /// Returns the local document, the remote one, or a new or edited one; `nil` deletes.
    ///
    /// Called on a private concurrent queue, several conflicts at a time, outside any
    /// transaction: the database may be used and time may be taken. Called again when the local
    /// document changes meanwhile. Asked twice about one conflict it must answer the same, or two
    /// peers overwrite each other for ever. At most one of the two documents is `nil`.
    func resolve(conflict: Conflict) -> Document?
}

/// The conflict rules that come with the library, as the official API writes the default one.
///
/// `ConflictResolver.fieldMerge` and `.fieldMerge` are the same; ``BundledConflictResolver`` tells
/// what each does.
public final class ConflictResolver {
    private init() {}

    /// A deletion wins, then the longer history, then the greater revision ID, then the remote.
    ///
    /// Peers that follow it choose the same winner without talking.
    public static var `default`: any ConflictResolverProtocol { .default }

    /// What this database holds stays; for one side of a pair only.
    public static var localWins: any ConflictResolverProtocol { .localWins }

    /// What the peer sent replaces ours.
    public static var remoteWins: any ConflictResolverProtocol { .remoteWins }

    /// Joins both documents property by property, by their common ancestor.
    public static var fieldMerge: any ConflictResolverProtocol { .fieldMerge }

    /// Decides nothing: each conflict is reported as a failed document, with code 8, and stays.
    public static var leaveOpen: any ConflictResolverProtocol { .leaveOpen }
}

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
