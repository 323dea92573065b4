import DivanConflicts
import DivanRevisions

/// A document that was changed both locally and on the peer.
public struct Conflict: Sendable {
    /// The document's ID.
    public let documentID: String
    /// The document in this database; `nil` if it was deleted locally.
    public let localDocument: Document?
    /// The document from the peer; `nil` if it was deleted on the peer.
    public let remoteDocument: Document?
    /// The common ancestor of both; `nil` if it is no longer stored.
    ///
    /// For resolvers that need to know what each side changed. An addition to the official API.
    public let baseDocument: Document?
    /// The places of both sides in the order of the default rule.
    let precedence: (local: Precedence, remote: Precedence)
}

/// Resolves conflicts.
///
/// It is `Sendable`, because it is called on the library's threads: a class must be `final` and immutable, or use
/// locks. Swift 5 source compiles unchanged.
@preconcurrency
public protocol ConflictResolverProtocol: Sendable {
    /// Returns the local document, the remote document, or a new or edited document; `nil` deletes the document.
    ///
    /// Called on a private concurrent queue, several at a time, outside any transaction: it may use the database and
    /// may be slow. It is called again if the local document changes in the meantime. It must always return the same
    /// result for the same conflict; otherwise, two peers overwrite each other forever. At most one of the two
    /// documents is `nil`.
    func resolve(conflict: Conflict) -> Document?
}

/// A resolver that can fail, and that learns the peer of a mesh.
///
/// A conflict for which it throws stays open until the next run, and its document is reported as failed.
@_spi(Modern) public protocol ThrowingConflictResolver: ConflictResolverProtocol {
    /// Resolves a conflict, and passes the resulting document to `use`, until which it retains the document's blobs.
    ///
    /// `peer` is `nil` outside a mesh.
    func attempt<Output>(
        _ conflict: Conflict,
        with peer: PeerID?,
        _ use: (Document?) throws -> Output
    ) throws -> Output
}

@_spi(Modern) extension ThrowingConflictResolver {
    /// Keeps the remote document if the attempt fails.
    public func resolve(conflict: Conflict) -> Document? {
        do {
            return try attempt(conflict, with: nil) { $0 }
        } catch {
            return conflict.remoteDocument
        }
    }
}

/// The conflict resolvers of the library, with the official API's name for the default one.
///
/// `ConflictResolver.fieldMerge` and `.fieldMerge` are the same; ``BundledConflictResolver`` describes what each does.
public final class ConflictResolver {
    private init() {}

    /// A deletion wins, then the longer history, then the greater revision ID, then the remote revision.
    ///
    /// All peers with this resolver choose the same winner.
    public static var `default`: any ConflictResolverProtocol { .default }

    /// The local revision wins; use it on only one of two peers.
    public static var localWins: any ConflictResolverProtocol { .localWins }

    /// The remote revision wins.
    public static var remoteWins: any ConflictResolverProtocol { .remoteWins }

    /// Merges both documents property by property, using their common ancestor.
    public static var fieldMerge: any ConflictResolverProtocol { .fieldMerge }

    /// Leaves each conflict open, and reports it as a failed document with code 8.
    public static var leaveOpen: any ConflictResolverProtocol { .leaveOpen }
}

extension ConflictResolver {
    /// Tests a resolver; returns a sentence for each rule that it violates, or none if it is correct.
    ///
    /// For the application's tests, with any test framework. The resolver is called twice for each test conflict, with
    /// different members, a deleted side, and long and short histories; both results must be equal. The documents
    /// belong to `collection`, but are not saved.
    public static func violations(
        of resolver: any ConflictResolverProtocol,
        in collection: Collection
    ) -> [String] {
        ResolverContract.violations(
            of: DocumentResolver(resolver: resolver, collection: collection)
        )
    }
}
