import DivanLog
import DivanRevisions
import DivanStore

/// The conflicts waiting for a resolver.
///
/// **What bounds it.** `ReplicatorLimits.unresolvedConflictsCount`: while that many wait, the pull requests no more.
/// Conflicts from earlier runs stay in the store and are read from there a few at a time, up to half of that limit, so
/// that the pull can continue meanwhile.
final class OpenConflicts {
    /// The last document whose conflict kept coming back.
    private(set) var rotating: PendingConflict?

    private let connection: Connection
    private var unresolved: Set<PendingConflict> = []
    /// Conflicts from earlier runs that no resolver has been asked about yet: those after a sequence.
    private var unread: [(path: CollectionPath, sequence: UInt64)] = []
    private var knowsPeer = false
    private var rotations = ConflictLoopDetector()
    /// When one was last settled, or the first waiting one was added.
    private var lastNews: Duration = .zero

    init(_ connection: Connection) {
        self.connection = connection
    }

    var isEmpty: Bool { unresolved.isEmpty && unread.isEmpty }

    /// Whether more may be added.
    var hasRoom: Bool { unresolved.count < connection.limits.unresolvedConflictsCount }

    /// Since when no resolver has answered; `nil` if none has been asked.
    var oldest: Duration? { unresolved.isEmpty ? nil : lastNews }

    /// The resolvers that are being waited for.
    var wait: SyncWait? {
        guard let first = unresolved.first else { return nil }
        return SyncWait(
            .resolver(first.documentID, moreCount: unresolved.count - 1),
            in: first.collection,
            for: connection.now - lastNews
        )
    }

    /// The collection has conflicts from earlier runs; resolvers are asked about them once the peer's identity is
    /// known.
    func addEarlier(in path: CollectionPath) {
        unread.append((path, 0))
    }

    /// The peer's identity is known: asks about the conflicts from earlier runs.
    func askAboutEarlier() {
        knowsPeer = true
        readEarlier()
    }

    /// Reads as many conflicts from earlier runs as there is room for, in the order of their sequences.
    ///
    /// One that changes meanwhile gets a later sequence and is read there. Those not read when the connection closes
    /// are left to the next run.
    private func readEarlier() {
        let limit = max(1, connection.limits.unresolvedConflictsCount / 2)
        do {
            while knowsPeer, !connection.isClosed, unresolved.count < limit,
                let (path, sequence) = unread.first
            {
                let room = limit - unresolved.count
                let found = try connection.store.read { reader in
                    try reader.conflicts(in: path, after: sequence, limit: room)
                }
                for conflict in found { ask(about: conflict.documentID, in: path) }
                if found.count == room, let last = found.last {
                    unread[0].sequence = last.sequence
                } else {
                    unread.removeFirst()
                }
            }
        } catch {
            connection.end(storage: error, .cannotFulfil)
        }
    }

    func ask(about documentID: DocumentID, in path: CollectionPath) {
        let conflict = PendingConflict(collection: path, documentID: documentID)
        if unresolved.isEmpty { lastNews = connection.now }
        guard unresolved.insert(conflict).inserted else { return }
        connection.emit(.resolve(conflict))
    }

    /// A conflict is resolved, or remains; returns whether a resolver had been asked.
    func settled(_ conflict: PendingConflict, _ error: SyncError?) -> Bool {
        guard unresolved.remove(conflict) != nil else { return false }
        lastNews = connection.now
        if let error {
            connection.report(DocumentEvent(resolving: conflict, error))
        } else {
            let (isTombstone, isOpen) = outcome(of: conflict)
            let flags: SyncFlags = isTombstone ? .deleted : []
            connection.report(DocumentEvent(resolving: conflict, flags: flags, nil))
            watch(conflict)
            if isOpen { ask(about: conflict.documentID, in: conflict.collection) }
        }
        readEarlier()
        return true
    }

    /// Reports a document whose conflict keeps coming back, in the log, in an event, and in the status.
    private func watch(_ conflict: PendingConflict) {
        let limits = connection.limits
        guard rotations.note(conflict, at: connection.now, limits) else { return }
        let text =
            "the conflict in document \(conflict.documentID) keeps recurring: resolved "
            + "\(limits.rotationCount) times within \(limits.rotationWindow); peers that merge the "
            + "same two revisions must get the same result"
        connection.log.warning("\(user: text)")
        rotating = conflict
        connection.report(DocumentEvent(resolving: conflict, SyncError(.liteCore(.conflict), text)))
    }

    /// Whether the document is deleted now, and whether another conflict of it appeared before the answer arrived.
    private func outcome(of conflict: PendingConflict) -> (isTombstone: Bool, isOpen: Bool) {
        let (documentID, path) = (conflict.documentID, conflict.collection)
        do {
            return try connection.store.read { reader in
                let document = try reader.document(documentID, in: path, includingTombstones: true)
                let next = try reader.conflict(of: documentID, in: path)
                return (document?.isTombstone ?? false, next != nil)
            }
        } catch let error as StoreError where error.concernsOneDocument {
            return (false, false)  // damaged; whoever reads the document is told
        } catch {
            connection.fail(storage: error)
            return (false, false)
        }
    }
}
