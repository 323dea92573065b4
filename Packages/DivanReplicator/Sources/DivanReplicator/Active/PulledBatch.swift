import DivanRevisions
import DivanStore

/// One transaction of an active peer: what the peer sent and reported.
struct PulledBatch {
    let revisions: [IncomingRevision]
    /// Withdrawn documents, and what happens to each.
    let losses: [(PeerReports.Removal, PeerReports.Verdict)]
    let marks: [PeerReports.Mark]
    /// Whether it contains anything that the peer does not repeat by itself.
    let hasHeard: Bool
    /// The work that stores it.
    let work: StoringWork

    /// Takes what is ready in the inbox, and the remarks.
    init(
        of collections: [ActiveCollection],
        _ inbox: Inbox,
        _ remarks: PeerReports,
        over connection: Connection
    ) {
        let reports = remarks.take()
        let (refusals, pulls) = (reports.refusals, reports.pulls)
        losses = reports.removals.map { loss in
            (loss, collections[loss.collection].verdict(on: loss))
        }
        let removals = losses.filter { $0.1 == .purges }.map(\.0)
        var ready = inbox.takeReady()
        if collections.contains(where: \.hasWithdrawals) {
            ready.removeAll { collections[$0.collection].dropsWithdrawn($0) }
        }
        let marks = reports.marks.compactMap { collections[$0.collection].upToDate($0) }
        for revision in ready {
            revision.isOutdated = collections[revision.collection].isOutdated(revision.message)
        }
        (revisions, self.marks) = (ready, marks)
        hasHeard =
            !marks.isEmpty || !refusals.isEmpty || !removals.isEmpty || !pulls.isEmpty
        let (remote, keepsOrder) = (connection.remote, connection.peerNamesPast)
        let (store, origin) = (connection.store, connection.origin)
        let paths = collections.map(\.path)
        let arrived = ready.map { $0.arrived(from: remote, keepsOrder: keepsOrder) }
        let touched = Set(marks.map(\.collection)).union(ready.map(\.collection))
        let checkpoints = touched.map { collections[$0].checkpointer }
        for checkpoint in checkpoints { checkpoint.willMark() }
        let checkpointIDs = checkpoints.map(\.id.description)
        let purged = removals.map { (documentID: $0.documentID, path: paths[$0.collection]) }
        work = StoringWork {
            try store.write(origin: origin) { writer in
                for (documentID, path) in purged { _ = try writer.purge(documentID, in: path) }
                try writer.mark(marks, paths, at: remote)
                for id in checkpointIDs { try writer.noteMarks(behind: id) }
                try writer.note(refusals, paths, at: remote)
                try writer.note(pulls, paths, at: remote)
                return try writer.insert(arrived, in: paths)
            }
        }
    }
}

extension Connection {
    /// Whether the peer names the past of every revision, as Divan peers do; Sync Gateway may leave it out.
    fileprivate var peerNamesPast: Bool { peerKeepsOrder || (peerIsOurs && dialect.mayCross) }
}
