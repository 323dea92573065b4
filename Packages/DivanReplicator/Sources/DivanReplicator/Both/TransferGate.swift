import DivanRevisions
import DivanStore

/// Holds back the answer to a list while another connection receives some of its revisions.
///
/// Lists of a collection are answered in order, so there is one gate for the first that waits.
struct TransferGate {
    private let connection: Connection
    private let path: CollectionPath
    /// Transfers that have not ended, as far as known.
    private var awaited: [RevisionsInFlight.Awaited] = []
    /// When the list that waits is answered in any case; `nil` if none waits.
    private var limit: Duration?

    init(of path: CollectionPath, over connection: Connection) {
        self.connection = connection
        self.path = path
    }

    /// When the list that waits can be examined at the latest; `nil` if none waits, or if it can be examined now.
    var deadline: Duration? {
        guard let limit, let last = awaited.last else { return nil }
        let deadline = min(limit, last.deadline)
        return deadline > connection.now ? deadline : nil
    }

    /// Whether the first list can be examined: no list waits, or everything it waited for has ended.
    ///
    /// Called in each turn, so it examines one transfer, and the next when that has ended.
    mutating func isOpen() -> Bool {
        guard let limit, connection.now < limit, let transfers = connection.transfers else {
            return true
        }
        let count = awaited.count
        while let last = awaited.popLast() {
            // If a third connection transfers it now, the wait is for that one.
            guard let current = transfers.awaited(last.key, at: connection.now) else { continue }
            awaited.append(current)
            if awaited.count < count { watch() }
            return false
        }
        return true
    }

    /// Whether the first list can be answered so that these revisions are requested; otherwise it waits.
    mutating func admits(
        _ revisions: @autoclosure () -> [(documentID: DocumentID, revisionID: RevisionID)]
    ) -> Bool {
        guard let transfers = connection.transfers else { return true }
        let (now, time) = (connection.now, connection.limits.transferTime)
        awaited = transfers.begin(
            revisions().map { .init($0.documentID, $0.revisionID, in: path) },
            at: now,
            for: time,
            waits: limit.map { now < $0 } ?? true
        )
        guard !awaited.isEmpty else {
            limit = nil
            return true
        }
        limit = limit ?? now + time
        watch()
        return false
    }

    /// A requested revision is stored, or will not be.
    func ended(_ documentID: DocumentID, _ revisionID: RevisionID) {
        connection.transfers?.end(.init(documentID, revisionID, in: path))
    }

    private func watch() {
        guard let last = awaited.last, let transfers = connection.transfers else { return }
        connection.emit(.transfer(transfers.end(of: last)))
    }
}
