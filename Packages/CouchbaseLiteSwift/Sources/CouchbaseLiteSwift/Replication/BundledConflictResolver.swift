import DivanConflicts
import DivanRevisions

/// The conflict resolvers of the library; use one by name, such as `.fieldMerge`.
///
/// An addition to the official API, which only has the default resolver.
public struct BundledConflictResolver: ConflictResolverProtocol, MultipeerConflictResolver,
    Sendable
{
    enum Rule: Sendable {
        case standard
        case localWins
        case remoteWins
        case fieldMerge
        case leaveOpen
    }

    private let rule: Rule

    init(_ rule: Rule) {
        self.rule = rule
    }

    /// Resolves a conflict; `leaveOpen` works like the default resolver here.
    ///
    /// For custom resolvers that delegate some conflicts to one of these.
    public func resolve(conflict: Conflict) -> Document? {
        switch rule {
        case .localWins: conflict.localDocument
        case .remoteWins: conflict.remoteDocument
        case .standard, .leaveOpen: Self.decide(conflict, by: DefaultResolver())
        case .fieldMerge: Self.decide(conflict, by: FieldMergeResolver())
        }
    }

    /// Resolves a conflict with a peer of a group, by the same rule.
    public func resolve(peerID: PeerID, conflict: Conflict) -> Document? {
        resolve(conflict: conflict)
    }

    /// Applies a rule for leaves to documents.
    static func decide(
        _ conflict: Conflict,
        by rule: some DivanConflicts.ConflictResolver
    ) -> Document? {
        let (ours, theirs) = conflict.precedence
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
            // Both rules decide about a deletion by the order alone.
            return theirs < ours ? conflict.localDocument : conflict.remoteDocument
        }
        guard let mine = Leaf(local, at: ours), let other = Leaf(remote, at: theirs) else {
            return remote
        }
        let leaves = DivanConflicts.Conflict(
            documentID: local.name,
            local: mine,
            remote: other,
            base: conflict.baseDocument?.body.bytes
        )
        switch try? rule.resolve(leaves) {
        case .keepLocal: return local
        case .keepRemote, nil: return remote
        case .delete: return nil
        case .merge(let body, _):
            let text = String(decoding: body, as: UTF8.self)
            return (try? MutableDocument(id: conflict.documentID, json: text)) ?? remote
        }
    }

    /// The same rule as the engine's type.
    var engineRule: any DivanConflicts.ConflictResolver {
        switch rule {
        case .standard: DefaultResolver()
        case .localWins: LocalWinsResolver()
        case .remoteWins: RemoteWinsResolver()
        case .fieldMerge: FieldMergeResolver()
        case .leaveOpen:
            ClosureResolver { conflict in
                throw UnresolvedConflictError(documentID: conflict.documentID.text)
            }
        }
    }
}

extension ConflictResolverProtocol where Self == BundledConflictResolver {
    /// A deletion wins, then the longer history, then the greater revision ID, then the remote revision.
    ///
    /// Used if no resolver is set. With version vectors, a document that was restored after a deletion wins over
    /// revisions without knowledge of the deletion, then a deletion wins, then the later revision. All peers with this
    /// resolver choose the same winner.
    public static var `default`: Self { Self(.standard) }

    /// The local revision wins, even if it is a deletion.
    ///
    /// Use it on only one of two peers: if both keep their own revisions, they overwrite each other forever.
    public static var localWins: Self { Self(.localWins) }

    /// The remote revision wins, even if it is a deletion.
    public static var remoteWins: Self { Self(.remoteWins) }

    /// Merges both documents property by property, including nested dictionaries.
    ///
    /// Properties that only one side changed, added or removed since the common ancestor are taken from that side. If
    /// both sides changed a property, the winner of the default resolver is used, except that an edit wins over a
    /// removal. Arrays and blobs are not merged. If the ancestor is no longer stored, the properties of both sides are
    /// kept. A deletion wins as with the default resolver. All peers get the same result.
    public static var fieldMerge: Self { Self(.fieldMerge) }

    /// Leaves each conflict open, and reports it as a failed document with code 8.
    ///
    /// The current revision stays current and is not pushed. To resolve the conflict, run the replicator with another
    /// resolver, or use `divan conflicts`.
    public static var leaveOpen: Self { Self(.leaveOpen) }
}

extension Leaf {
    /// `nil` for a document that was never saved, which no side of a conflict is.
    fileprivate init?(_ document: Document, at precedence: Precedence) {
        guard let revisionID = document.state?.revisionID else { return nil }
        self.init(
            revisionID: revisionID,
            body: Array(document.toJSON().utf8),
            precedence: precedence
        )
    }
}

/// A conflict that the resolver leaves open.
private struct UnresolvedConflictError: Error, CustomStringConvertible {
    let documentID: String

    var description: String { "document \(documentID): conflict left open; resolve it manually" }
}
