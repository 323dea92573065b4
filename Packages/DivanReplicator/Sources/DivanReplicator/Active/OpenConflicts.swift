import DivanLog
import DivanRevisions
import DivanStore

/// The conflicts that wait for a resolver.
final class OpenConflicts {
    /// The last document that was seen not to come to rest.
    private(set) var rotating: PendingConflict?

    private let connection: Connection
    private var unresolved: Set<PendingConflict> = []
    /// Conflicts of earlier runs that nobody is asked about yet.
    private var earlier: [PendingConflict] = []
    private var rotations = RotationWatch()
    /// When one was settled last, or the first of those that wait was added.
    private var lastNews: Duration = .zero

    init(_ connection: Connection) {
        self.connection = connection
    }

    var isEmpty: Bool { unresolved.isEmpty }

    /// Whether more may come.
    var hasRoom: Bool { unresolved.count < connection.limits.unresolvedConflictsCount }

    /// Since when no resolver has answered; `nil` when none is asked.
    var oldest: Duration? { isEmpty ? nil : lastNews }

    /// What resolvers are waited for.
    var wait: SyncWait? {
        guard let first = unresolved.first else { return nil }
        return SyncWait(
            .resolver(first.documentID, moreCount: unresolved.count - 1),
            in: first.collection,
            for: connection.now - lastNews
        )
    }

    /// Adds a conflict of an earlier run; it is asked about once it is known who the peer is.
    func addEarlier(_ documentID: DocumentID, in path: CollectionPath) {
        let conflict = PendingConflict(collection: path, documentID: documentID)
        if isEmpty { lastNews = connection.now }
        unresolved.insert(conflict)
        earlier.append(conflict)
    }

    /// Who the peer is, is known: asks about the conflicts of earlier runs.
    func askAboutEarlier() {
        for conflict in earlier { connection.emit(.resolve(conflict)) }
        earlier = []
    }

    func ask(about documentID: DocumentID, in path: CollectionPath) {
        let conflict = PendingConflict(collection: path, documentID: documentID)
        if isEmpty { lastNews = connection.now }
        guard unresolved.insert(conflict).inserted else { return }
        connection.emit(.resolve(conflict))
    }

    /// A conflict is resolved, or stays; returns whether anybody was asked.
    func settled(_ conflict: PendingConflict, _ error: SyncError?) -> Bool {
        guard unresolved.remove(conflict) != nil else { return false }
        lastNews = connection.now
        connection.report(DocumentEvent(resolving: conflict, error))
        if error == nil {
            watch(conflict)
            askAgain(conflict)
        }
        return true
    }

    /// Names a document that does not come to rest, in the log, in an event, and in the status.
    private func watch(_ conflict: PendingConflict) {
        let limits = connection.limits
        guard rotations.note(conflict, at: connection.now, limits) else { return }
        let text =
            "the conflict of document \(conflict.documentID) comes again and again: resolved "
            + "\(limits.rotationCount) times within \(limits.rotationWindow); peers that merge must "
            + "make the same of the same two revisions"
        connection.log.warning("\(text)")
        rotating = conflict
        connection.report(DocumentEvent(resolving: conflict, SyncError(.liteCore(.conflict), text)))
    }

    /// Another conflict of the document may have come while the answer was on its way here.
    private func askAgain(_ conflict: PendingConflict) {
        do {
            let next = try connection.store.read { reader in
                try reader.conflict(of: conflict.documentID, in: conflict.collection)
            }
            guard next != nil else { return }
            ask(about: conflict.documentID, in: conflict.collection)
        } catch {
            connection.fail(SyncError(storage: error))
        }
    }
}
