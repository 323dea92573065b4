import DivanRevisions

/// One document, changed on both sides since they last agreed.
public struct Conflict {
    /// The document's ID.
    public let documentID: String
    /// What this database holds; `nil` when it was deleted here.
    public let localDocument: Document?
    /// What the peer sent; `nil` when it was deleted there.
    public let remoteDocument: Document?
}

/// Decides what becomes of a conflict.
public protocol ConflictResolverProtocol {
    /// Returns the local document, the remote one, or a new or edited one; `nil` deletes.
    ///
    /// Called on a private concurrent queue, several conflicts at a time, outside any
    /// transaction: the database may be used and time may be taken. Called again when the local
    /// document changes meanwhile. Asked twice about one conflict it must answer the same, or two
    /// peers overwrite each other for ever. At most one of the two documents is `nil`.
    func resolve(conflict: Conflict) -> Document?
}

/// The conflict rule that a replicator follows unless it is given another.
public final class ConflictResolver {
    private init() {}

    /// A deletion wins, then the longer history, then the greater revision ID, then the remote.
    ///
    /// Peers that follow it choose the same winner without talking.
    public static var `default`: any ConflictResolverProtocol { DefaultConflictResolver() }
}

/// The default rule over documents; the replicator itself applies it to the stored leaves.
struct DefaultConflictResolver: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
            return nil
        }
        guard let localID = local.revisionID.flatMap({ RevisionID($0) }),
            let remoteID = remote.revisionID.flatMap({ RevisionID($0) })
        else { return remote }
        return localID > remoteID ? local : remote
    }
}
