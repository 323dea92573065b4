import DivanConflicts
import DivanRevisions

/// The conflict rules that come with the library; take one by its name, such as `.fieldMerge`.
///
/// An addition to the official API, which has the default rule only.
public struct BundledConflictResolver: ConflictResolverProtocol, Sendable {
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

    /// Decides by the documents of the conflict; `leaveOpen` then decides as the default rule.
    ///
    /// For a resolver of your own that leaves some conflicts to one of these.
    public func resolve(conflict: Conflict) -> Document? {
        switch rule {
        case .localWins: conflict.localDocument
        case .remoteWins: conflict.remoteDocument
        case .standard, .leaveOpen: Self.decide(conflict, by: DefaultResolver())
        case .fieldMerge: Self.decide(conflict, by: FieldMergeResolver())
        }
    }

    private static func decide(
        _ conflict: Conflict,
        by rule: some DivanConflicts.ConflictResolver
    ) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
            return nil  // both rules let a deletion win
        }
        guard let mine = Leaf(local), let theirs = Leaf(remote) else { return remote }
        let leaves = DivanConflicts.Conflict(
            documentID: local.name,
            local: mine,
            remote: theirs,
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

    /// The same rule in the terms of the engine.
    var engineRule: any DivanConflicts.ConflictResolver {
        switch rule {
        case .standard: DefaultResolver()
        case .localWins: LocalWinsResolver()
        case .remoteWins: RemoteWinsResolver()
        case .fieldMerge: FieldMergeResolver()
        case .leaveOpen:
            ClosureResolver { conflict in
                throw ConflictLeftOpen(documentID: conflict.documentID.text)
            }
        }
    }
}

extension ConflictResolverProtocol where Self == BundledConflictResolver {
    /// A deletion wins, then the longer history, then the greater revision ID, then the remote.
    ///
    /// What holds without a resolver. Peers that follow it choose the same winner without talking.
    public static var `default`: Self { Self(.standard) }

    /// What this database holds stays, a deletion too.
    ///
    /// For one side of a pair only: two that keep their own overwrite each other for ever.
    public static var localWins: Self { Self(.localWins) }

    /// What the peer sent replaces ours, a deletion too.
    public static var remoteWins: Self { Self(.remoteWins) }

    /// Joins both documents property by property, dictionaries in depth.
    ///
    /// What only one side changed, added or removed since the common ancestor is taken from that
    /// side. Where both changed one property the winner of the default rule is right, but an edit
    /// wins over a removal. Arrays and blobs are taken whole. When the ancestor is no longer kept
    /// the properties of both sides stay. A deleted document stays deleted. Every peer merges alike.
    public static var fieldMerge: Self { Self(.fieldMerge) }

    /// Decides nothing: each conflict is reported as a failed document, with code 8, and stays.
    ///
    /// The current revision stays current meanwhile, and is not pushed. A later run with another
    /// resolver ends what is left, or a person does (`divan conflicts`).
    public static var leaveOpen: Self { Self(.leaveOpen) }
}

extension Leaf {
    /// `nil` for a document that was never saved; no side of a conflict is one.
    fileprivate init?(_ document: Document) {
        guard let revisionID = document.state?.revisionID else { return nil }
        self.init(revisionID: revisionID, body: Array(document.toJSON().utf8))
    }
}

/// A conflict that waits for a person.
private struct ConflictLeftOpen: Error, CustomStringConvertible {
    let documentID: String

    var description: String { "document \(documentID): left open; resolve it by hand" }
}
