import DivanBLIP
import DivanJSON
import DivanRevisions
import DivanStore

/// The pushing half of an active peer, for one collection: proposes local changes in the order of
/// their sequences, sends what the peer accepts, and knows what is done.
///
/// At most one revision of a document is under way; of later ones only the newest waits.
///
/// Source: `replication.md` §5.
struct Pusher {
    let path: CollectionPath
    var sender: RevisionSender

    let connection: Connection
    let checkpointer: Checkpointer
    let remarks: Remarks
    let collection: Int
    let pulls: Bool
    private let options: PeerConfiguration.CollectionOptions
    private let wantedIDs: Set<DocumentID>
    /// Marks of changes up to this sequence are older than this run and not to be relied on.
    private let trustedAfter: UInt64
    /// Documents that were in conflict then: who keeps the peer's side relies on such a mark.
    private var doubtfulIDs: Set<DocumentID> = []
    private var lastSequence: UInt64  // the feed is read through here
    /// Local changes that are not looked at yet; never too few.
    private(set) var unreadCount: UInt64 = 0
    private var isCaughtUp = false
    private var wasCaughtUp = false
    private var hasSpoken = false
    var listsInFlightCount = 0
    /// Documents under way; the value is a newer change that waits.
    var underway: [DocumentID: FeedChange?] = [:]
    var retries: [Proposal] = []
    var forbidden: [OutgoingRevision] = []
    /// Documents whose current revision the peer had when it was read, while another one was on its
    /// way there.
    var overtakenIDs: Set<DocumentID> = []
    /// Conflicts that the pull may clear, by document.
    var awaitingPull: [DocumentID: Proposal] = [:]

    init(
        collection: Int,
        options: PeerConfiguration.CollectionOptions,
        pulls: Bool,
        after checkpointer: Checkpointer,
        through last: UInt64,
        remarks: Remarks,
        over connection: Connection
    ) {
        self.connection = connection
        self.checkpointer = checkpointer
        self.remarks = remarks
        self.collection = collection
        self.options = options
        self.pulls = pulls
        path = options.path
        wantedIDs = Set(options.documentIDs)
        lastSequence = checkpointer.completed.firstRangeEnd
        trustedAfter = checkpointer.isConfirmed ? 0 : last
        unreadCount = last - min(last, lastSequence)
        sender = RevisionSender(
            connection,
            collection: collection,
            path: options.path,
            isPush: true
        )
        sender.keepsOrder = pulls
    }

    /// Whether everything local is at the peer, or refused for good.
    var isIdle: Bool {
        isCaughtUp && listsInFlightCount == 0 && sender.isIdle && underway.isEmpty
            && retries.isEmpty && forbidden.isEmpty
    }

    /// Whether a change of a document is on its way.
    func isUnderway(_ documentID: DocumentID) -> Bool { underway[documentID] != nil }

    /// Whether changes from before the connection are still being read.
    var isInBacklog: Bool { !wasCaughtUp }

    /// There are changes behind the last one that was read.
    mutating func notice() {
        isCaughtUp = false
    }

    /// The peer sent a revision of a document in this run: what is known of it there is true.
    mutating func trust(_ documentID: DocumentID) {
        doubtfulIDs.remove(documentID)
    }

    /// Reads, proposes and sends as far as the windows allow.
    mutating func pump() throws {
        if !retries.isEmpty {
            let proposals = retries
            retries = []
            propose(proposals)
        }
        let listLimit = wasCaughtUp ? 1 : connection.limits.listsInFlightCount
        while !isCaughtUp, !connection.isClosed, listsInFlightCount < listLimit,
            sender.queuedCount < connection.limits.queuedRevisionsCount
        {
            let proposals = try readFeed()
            if !proposals.isEmpty { propose(proposals) }
        }
        if isCaughtUp, !hasSpoken { propose([]) }
        for change in try sender.pump() { complete(change) }
        retryForbidden()
        if !forbidden.isEmpty || sender.queuedCount > 0 {
            for change in try sender.pump() { complete(change) }
        }
    }

    /// After all else each revision that was refused with 403 gets a second chance.
    private mutating func retryForbidden() {
        guard isCaughtUp, listsInFlightCount == 0, sender.isIdle, !forbidden.isEmpty else { return }
        for revision in forbidden { sender.enqueue(revision) }
        forbidden = []
    }

    private mutating func readFeed() throws -> [Proposal] {
        let limit = connection.limits.changesCount
        let rows = try connection.store.read { reader in
            let rows = try reader.changes(
                in: path,
                after: lastSequence,
                limit: limit,
                remote: connection.remote
            )
            return try rows.map { row in (row, try passes(row, reader)) }
        }
        if rows.count < limit {
            isCaughtUp = true
            wasCaughtUp = true
            unreadCount = 0
        }
        guard let last = rows.last?.0.sequence, last > lastSequence else { return [] }
        unreadCount -= min(unreadCount, last - lastSequence)
        var proposals: [Proposal] = []
        for (row, passes) in rows where !passes && isUnderway(row.documentID) {
            overtakenIDs.insert(row.documentID)
        }
        for (row, _) in rows where row.sequence <= trustedAfter && row.flags.contains(.conflicted) {
            doubtfulIDs.insert(row.documentID)
        }
        let pending = rows.filter { $0.1 && !checkpointer.completed.contains($0.0.sequence) }
        checkpointer.completed.insert((lastSequence + 1)..<(last + 1))
        lastSequence = last
        for (row, _) in pending {
            let change = FeedChange(row)
            guard change.bodyByteCount <= connection.limits.documentByteCount else {
                let error = SyncError.tooLarge(change.bodyByteCount, connection.limits)
                refused(change, error)
                continue
            }
            checkpointer.completed.remove(row.sequence)
            doubtfulIDs.remove(row.documentID)
            connection.progress.expectDocument(change.bodyByteCount)
            if let waiting = underway[change.documentID] {
                if let waiting { checkpointer.completed.insert(waiting.sequence) }
                underway.updateValue(change, forKey: change.documentID)
            } else {
                underway.updateValue(nil, forKey: change.documentID)
                proposals.append(proposal(for: change))
            }
        }
        return proposals
    }

    private func proposal(for change: FeedChange) -> Proposal {
        let isTrusted = change.sequence > trustedAfter
        return Proposal(change: change, ancestor: isTrusted ? change.remoteAncestor : nil)
    }

    /// Whether a change is to be pushed; filters see the body.
    func passes(_ row: ChangeRow, _ reader: StoreReader) throws -> Bool {
        guard !row.flags.contains(.conflicted) else { return false }
        guard wantedIDs.isEmpty || wantedIDs.contains(row.documentID) else { return false }
        let isTrusted = row.sequence > trustedAfter && !doubtfulIDs.contains(row.documentID)
        if isTrusted, row.remoteAncestor == row.revisionID { return false }
        guard let filter = options.pushFilter else { return true }
        let isTombstone = row.flags.contains(.tombstone)
        let result = Result { () throws(StoreError) in
            try reader.revision(row.documentID, row.revisionID, in: path)
        }
        if case .failure(let error) = result, error.concernsOneDocument {
            return true  // no filter can judge it; sending it will fail, and tell why
        }
        let stored = try result.get()
        return filter(
            FilteredRevision(
                row.documentID,
                row.revisionID,
                body: stored?.body ?? [],
                flags: isTombstone ? .deleted : []
            )
        )
    }

    private mutating func propose(_ proposals: [Proposal]) {
        hasSpoken = true
        var properties = BLIPProperties.profile(
            "proposeChanges",
            collection: connection.wireIndex(collection)
        )
        properties.append("conflictIncludesRev", "true")
        var writer = JSONWriter(reservingByteCount: proposals.count * 80)
        writer.beginArray()
        for proposal in proposals { ProposalMessage.write(proposal, to: &writer) }
        writer.endArray()
        var request = BLIPRequest(properties: properties, body: .bytes(writer.bytes))
        request.isUrgent = true
        guard !proposals.isEmpty else {
            connection.tell(request)
            return
        }
        request.isCompressed = connection.configuration.compresses
        listsInFlightCount += 1
        connection.ask(request, for: .proposals(collection: collection, proposals))
    }

    /// The change needs nothing more; a newer one of its document may go.
    mutating func complete(
        _ change: FeedChange,
        newAncestor: RevisionID? = nil
    ) {
        checkpointer.completed.insert(change.sequence)
        release(change, newAncestor: newAncestor)
    }

    /// The change is no longer under way.
    mutating func release(_ change: FeedChange, newAncestor: RevisionID? = nil) {
        guard let waiting = underway.removeValue(forKey: change.documentID), let waiting else {
            return
        }
        underway.updateValue(nil, forKey: waiting.documentID)
        var next = proposal(for: waiting)
        if let newAncestor { next.ancestor = newAncestor }
        retries.append(next)
    }

    /// Tells that the peer does not take a change, and has it remembered.
    func refused(
        _ change: FeedChange,
        _ error: SyncError
    ) {
        connection.report(event(change, error))
        remember(change, error)
    }

    /// Has a refusal remembered with what the peer took; that it counts as done is saved later.
    func remember(
        _ change: FeedChange,
        _ error: SyncError
    ) {
        let refusal = Refusal(
            documentID: change.documentID,
            revisionID: change.revisionID,
            sequence: change.sequence,
            error: error,
            time: connection.configuration.secondsSince1970()
        )
        remarks.add(Remarks.PushRefusal(collection: collection, refusal: refusal))
    }

    func event(_ change: FeedChange, _ error: SyncError?) -> DocumentEvent {
        DocumentEvent(pushing: change, in: path, error)
    }
}
