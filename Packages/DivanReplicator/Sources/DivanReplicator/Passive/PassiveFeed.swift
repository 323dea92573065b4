import DivanBLIP
import DivanJSON
import DivanRevisions
import DivanStore

/// A peer's subscription, and the changes that it has been sent.
///
/// Lists of local changes are sent as the windows allow; what the peer requests follows as `rev` messages. When there
/// is nothing more, an empty list says so, always, because a one-shot client would otherwise wait forever. A list that
/// the peer cannot answer is sent again in halves, down to the entry that causes the error, so that no other document
/// is lost.
///
/// Source: `replication.md` §3, §11.
struct PassiveFeed {
    let path: CollectionPath
    var sender: RevisionSender
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter? {
        didSet { sender.readFilter = readFilter }
    }
    /// What the peer wants to be told of; `nil` = everything.
    ///
    /// Unlike `readFilter`, it keeps nothing secret.
    var interest: DocumentFilter?

    private let connection: Connection
    private let collection: Int
    let isContinuous: Bool
    private let skipsTombstones: Bool
    private let takesDeletions: Bool  // then only tombstones with generated IDs are skipped
    /// The last sequence before the subscription; tombstones up to here are skipped.
    ///
    /// A later one is announced to every peer: it may know the document from when it was alive.
    private var skippedThrough: UInt64 = 0
    /// `nil` = all.
    private let wanted: SubscribedDocuments?
    private var lastSequence: UInt64
    private var firstSequence: UInt64  // what lies behind it was told before this connection
    /// Revisions that this peer sent; each is skipped once.
    private var echoes: [DocumentID: RevisionID] = [:]
    private var listsInFlightCount = 0
    /// Halves of lists that the peer could not answer.
    private var refused = FIFOQueue<[FeedChange]>()
    /// Whether the end of the feed must still be announced.
    private var owesEnd = false
    private var phase = FeedPhase.backlog
    /// Documents that the peer pushes without knowing our revision, although it was once announced.
    private var unknownToPeer: [DocumentID] = []
    /// The same, for lookup by name.
    private var unknownIDs: Set<DocumentID> = []
    /// Whether the documents that the subscription named must be announced before the end of the changes.
    private(set) var repeats = false
    /// Revisions of the peer over which another one had already won when they arrived.
    private var overtaken: Set<OvertakenRevision> = []
    /// Whether there is room to continue, but others must go first.
    private(set) var wantsTurn = false

    /// Reads a subscription.
    ///
    /// Channels belong to Sync Gateway and are ignored between peers (`behaviour.md` §8).
    ///
    /// - Throws: HTTP/501 for any other filter, and for a peer that names revisions differently.
    init(
        _ request: BLIPIncomingRequest,
        over connection: Connection,
        collection: Int,
        path: CollectionPath
    ) throws(SyncError) {
        let properties = request.properties
        guard properties["filter"].map({ $0 == BLIPProperties.channelFilter }) ?? true else {
            throw .http(.notImplemented, "this peer does not support named filters")
        }
        guard connection.dialect.matches(versioning: properties["versioning"]) else {
            let ours = connection.dialect.versioning
            throw .http(.notImplemented, "Incompatible document versioning: this peer has \(ours)")
        }
        self.connection = connection
        self.collection = collection
        self.path = path
        isContinuous = try properties.truth("continuous")
        skipsTombstones = try properties.truth("activeOnly")
        takesDeletions = properties.bool(DivanProperty.deletions)
        // Divan's are integers; any other comes from another peer, and starting over loses nothing.
        firstSequence = properties["since"].flatMap { UInt64($0) } ?? 0
        lastSequence = firstSequence
        wanted = SubscribedDocuments(request.body)
        sender = RevisionSender(connection, collection: collection, path: path, isPush: false)
        guard let again = properties[DivanProperty.again] else { return }
        let names = (try? JSON(parsing: again.utf8.span))?.array ?? []
        for name in names.prefix(connection.limits.repeatedDocumentsCount) {
            if let name = name.string { tellAgain(DocumentID(unchecked: name)) }
        }
        repeats = true
    }

    /// Returns how many changes are still to be announced, at most.
    ///
    /// Called once, when the subscription begins.
    mutating func begin(_ reader: StoreReader) throws -> UInt64 {
        let last = try reader.lastSequence(in: path)
        // The peer knew another collection of this name, or this one before it was restored to an earlier state.
        if firstSequence > last { (firstSequence, lastSequence) = (0, 0) }
        if skipsTombstones { skippedThrough = last }
        var count = last - min(last, lastSequence)
        let isLiveOnly = skipsTombstones && !takesDeletions
        if isLiveOnly { count = min(count, UInt64(try reader.count(in: path))) }
        if let wanted { count = min(count, UInt64(wanted.documentIDs.count)) }
        return count + UInt64(unknownToPeer.count)
    }

    /// Bytes of what the peer named: the documents that it wants, and its known revisions of those in the queue.
    var heldByteCount: Int { (wanted?.byteCount ?? 0) + sender.knownByteCount }

    /// Whether all changes were announced and all requested revisions sent.
    var isIdle: Bool { phase == .caughtUp && isAnswered && unknownToPeer.isEmpty && !owesEnd }

    /// Whether the peer has, or does not want, everything announced to it.
    private var isAnswered: Bool { areListsAnswered && sender.isIdle }

    private var areListsAnswered: Bool { listsInFlightCount == 0 && refused.isEmpty }

    /// The peer pushed a revision that does not follow ours: it may have purged and recreated the document, and our
    /// revision will not be announced again by itself.
    mutating func tellAgain(_ documentID: DocumentID) {
        // Even if the feed has not reached it yet: the peer no longer has what it sent.
        if !echoes.isEmpty { echoes[documentID] = nil }
        guard unknownToPeer.count < connection.limits.rememberedEchoesCount,
            unknownIDs.insert(documentID).inserted
        else { return }
        unknownToPeer.append(documentID)
    }

    /// The peer sent a revision older than our current one, which was announced to it already, perhaps before it had
    /// won: the peer may have let its own win, and would consider ours the older one.
    ///
    /// Once for each revision: with a client that does not say in a message what it has seen this could go on forever.
    ///
    /// - Returns: Whether the answer names the current revision; the peer is told about it later in any case, if it may
    ///   read it.
    mutating func insists(on winner: ChangeRow, over message: RevisionMessage) -> Bool {
        let loser = OvertakenRevision(
            documentID: message.documentID,
            revisionID: message.revisionID
        )
        guard winner.sequence <= lastSequence,
            overtaken.count < connection.limits.overtakenRevisionsCount,
            overtaken.insert(loser).inserted
        else { return false }
        tellAgain(message.documentID)
        return mayName(winner)
    }

    /// Whether the peer may read what a change contains; false if that cannot be read now.
    private func mayName(_ row: ChangeRow) -> Bool {
        guard readFilter != nil else { return true }
        guard connection.readingCredit.isPositive(at: connection.now) else { return false }
        connection.readingCredit.owe(row.bodyByteCount)
        return (try? hiddenSequences(among: [row], [readFilter]).isEmpty) ?? false
    }

    /// There are changes after the last one that was read.
    mutating func notice() {
        if isContinuous { phase.notice() }
    }

    /// The peer sent a revision, which need not be announced to it.
    ///
    /// If there is another branch here (`isBranched`), the peer may have given up its own for that one while this
    /// revision was in transit: it must be told which of them counts.
    mutating func note(_ message: RevisionMessage, isBranched: Bool) {
        guard isContinuous else { return }
        if isBranched {
            echoes[message.documentID] = nil
        } else {
            if echoes.count >= connection.limits.rememberedEchoesCount {
                echoes = [:]  // an echo costs one entry of a list, no more
            }
            echoes[message.documentID] = message.revisionID
        }
        notice()
    }

    /// Announces a document again.
    mutating func insist(on documentID: DocumentID) {
        echoes[documentID] = nil
        // The peer has the document, whether or not our revision is one that it wants.
        if interest != nil { tellAgain(documentID) }
        notice()
    }

    /// Announces and sends as far as the windows allow.
    mutating func pump() throws {
        let listLimit = phase == .backlog ? connection.limits.listsInFlightCount : 1
        while hasRoom(for: listLimit), let half = refused.popFirst() { announce(half) }
        if repeats, hasRoom(for: listLimit) {
            try announceAgain()
            repeats = !unknownToPeer.isEmpty
        }
        // Empty lists fill no window; if each document is filtered, all lists cost much.
        var turnCount = connection.limits.silentListsCount
        if isFiltered { turnCount = connection.limits.listsInFlightCount }
        wantsTurn = false
        while phase != .caughtUp, hasRoom(for: listLimit) {
            guard turnCount > 0 else {
                wantsTurn = true
                break
            }
            turnCount -= 1
            try announceNext()
        }
        sendEndOfFeed()
        // What is in transit may be the revision in question. A one-shot client does not stay that long, and is told
        // again only about changes from before its `since`, which this connection has not brought.
        let mayTell =
            !isContinuous
            && connection.underway.listsCount < connection.limits.allListsInFlightCount
        if !unknownToPeer.isEmpty, isAnswered || mayTell { try announceAgain() }
        // With no answer outstanding, nothing else starts the next turn.
        if !unknownToPeer.isEmpty, isAnswered { wantsTurn = true }
        _ = try sender.pump()
    }

    private func hasRoom(for listLimit: Int) -> Bool {
        !connection.isClosed && listsInFlightCount < listLimit
            && connection.underway.listsCount < connection.limits.allListsInFlightCount
            && sender.takesMore
    }

    /// Announces the end of the feed, once nothing can be repeated.
    private mutating func sendEndOfFeed() {
        guard owesEnd, refused.isEmpty, !repeats || unknownToPeer.isEmpty,
            areListsAnswered || !connection.dialect.endsAfterAnswers
        else { return }
        owesEnd = false
        announce([])
    }

    private mutating func announceNext() throws {
        let limit = connection.limits.changesCount
        let all = try connection.store.readLiving { reader in
            try reader.changes(in: path, after: lastSequence, limit: limit, remote: nil)
        }
        let rows = all.prefix(judgedCount(of: all))
        let hidden = try hiddenSequences(
            among: isFiltered ? rows.filter { isWanted($0) } : [],
            [readFilter, interest]
        )
        if let last = rows.last { lastSequence = last.sequence }
        var changes: [FeedChange] = []
        for row in rows {
            // The entry is removed anyway: a document that returns to this revision later is news.
            if !echoes.isEmpty, let echo = echoes.removeValue(forKey: row.documentID),
                echo == row.revisionID
            {
                continue
            }
            if isSkippedTombstone(row) || !isWanted(row) { continue }
            if hidden.contains(row.sequence) { continue }
            changes.append(FeedChange(row))
        }
        if !changes.isEmpty { announce(changes) }
        if all.count < limit, rows.count == all.count {
            let isFirstTime = phase == .backlog
            phase = .caughtUp
            if isFirstTime || changes.isEmpty { owesEnd = true }
        }
    }

    /// Announces documents again that the peer lacks, if the feed has passed them.
    private mutating func announceAgain() throws {
        let documentIDs = unknownToPeer.prefix(connection.limits.changesCount)
        var rows: [ChangeRow] = []
        var doneCount = 0
        try connection.store.readLiving { reader in
            var byteCount = 0
            for documentID in documentIDs {
                if let row = try reader.change(of: documentID, in: path), isToTellAgain(row) {
                    byteCount += row.bodyByteCount
                    if readFilter != nil, !rows.isEmpty,
                        byteCount > connection.limits.filteredByteCount
                    {
                        break
                    }
                    rows.append(row)
                }
                doneCount += 1
            }
        }
        unknownIDs.subtract(documentIDs.prefix(doneCount))
        unknownToPeer.removeFirst(doneCount)
        let hidden = try hiddenSequences(among: rows, [readFilter])
        let changes = rows.filter { !hidden.contains($0.sequence) }
        if !changes.isEmpty { announce(changes.map { FeedChange($0) }) }
    }

    private func isToTellAgain(_ row: ChangeRow) -> Bool {
        row.sequence <= (isContinuous ? lastSequence : firstSequence)
            && isWanted(row)
    }

    /// The number of these changes in one list: those about which the filter is asked at once, at least one.
    private func judgedCount(of rows: [ChangeRow]) -> Int {
        guard isFiltered else { return rows.count }
        var byteCount = 0
        let end = rows.indices.first { index in
            guard isWanted(rows[index]) else { return false }
            byteCount += rows[index].bodyByteCount
            return index > 0 && byteCount > connection.limits.filteredByteCount
        }
        return end ?? rows.count
    }

    private func isSkippedTombstone(_ row: ChangeRow) -> Bool {
        row.sequence <= skippedThrough && row.flags.contains(.tombstone)
            && (!takesDeletions || row.documentID.isGenerated)
    }

    private func isWanted(_ row: ChangeRow) -> Bool {
        wanted?.documentIDs.contains(row.documentID) ?? true
    }

    /// Whether bodies are read to decide which documents are announced.
    private var isFiltered: Bool { readFilter != nil || interest != nil }

    /// The changes that do not pass all filters, which run outside the transaction.
    private func hiddenSequences(
        among rows: [ChangeRow],
        _ filters: [DocumentFilter?]
    ) throws -> Set<UInt64> {
        let filters = filters.compactMap(\.self)
        guard !filters.isEmpty, !rows.isEmpty else { return [] }
        let bodies = try connection.store.readLiving { reader in
            rows.map { row in
                Result { () throws(StoreError) in
                    try reader.revision(row.documentID, row.revisionID, in: path)
                }
            }
        }
        var hidden: Set<UInt64> = []
        for (row, result) in zip(rows, bodies) {
            if case .failure(let error) = result, error.concernsOneDocument {
                hidden.insert(row.sequence)  // no filter can judge it
                continue
            }
            let stored = try result.get()
            // Gone since the row was read: its successor has its own row.
            guard stored != nil || row.flags.contains(.tombstone) else {
                hidden.insert(row.sequence)
                continue
            }
            let shown = FilteredRevision(
                row.documentID,
                row.revisionID,
                body: stored?.body ?? [],
                isTombstone: row.flags.contains(.tombstone)
            )
            if !filters.allSatisfy({ $0(shown) }) { hidden.insert(row.sequence) }
        }
        return hidden
    }

    private mutating func announce(_ changes: [FeedChange]) {
        let isAsked = connection.send(
            changes,
            as: connection.profile("changes", about: collection),
            for: .announcement(collection: collection, changes),
            writing: ChangesMessage.write
        )
        guard isAsked else { return }
        listsInFlightCount += 1
        connection.underway.listsCount += 1
    }

    /// Handles the answer to a list: what is wanted is sent, the rest is done.
    mutating func answered(_ changes: [FeedChange], _ reply: BLIPIncomingReply) {
        listsInFlightCount -= 1
        connection.underway.listsCount -= 1
        guard reply.error == nil,
            let answers = try? ChangesAnswer.parse(
                reply.body,
                in: connection.dialect,
                count: changes.count
            )
        else { return divide(changes, reply.error) }
        if reply.properties.bool("deltas") { sender.sendsDeltas = true }
        let terms = PeerTerms(reply.properties, limits: connection.limits)
        for (change, answer) in zip(changes, answers) {
            guard case .wanted(let ancestors) = answer else { continue }
            let revision = OutgoingRevision(change: change, known: ancestors, terms: terms)
            guard change.bodyByteCount <= connection.limits.documentByteCount else {
                sender.refuseTooLarge(revision, change.bodyByteCount)
                continue
            }
            connection.progress.expectDocument(change.bodyByteCount)
            sender.enqueue(revision)
        }
    }

    /// The peer could not answer a list: each half is sent again; for a single entry the error is reported.
    private mutating func divide(_ changes: [FeedChange], _ failure: BLIPRemoteError?) {
        let middle = changes.count / 2
        guard middle > 0 else {
            let error = failure.map { SyncError($0) } ?? .remote("unreadable reply to changes")
            for change in changes {
                connection.report(DocumentEvent(pushing: change, in: path, error))
            }
            return
        }
        refused.append(Array(changes[..<middle]))
        refused.append(Array(changes[middle...]))
    }

    /// Handles the answer to a revision that was sent.
    mutating func answered(_ revision: OutgoingRevision, _ reply: BLIPIncomingReply) {
        let error = reply.error.map { SyncError($0) }
        if !revision.lentBlobs.isEmpty { connection.blobRights.takeBack(revision.lentBlobs) }
        if sender.answered(revision, error) { return }
        connection.progress.complete(revision.change.bodyByteCount)
        var event = DocumentEvent(pushing: revision.change, in: path, error)
        event.delta = revision.delta
        connection.report(event)
    }
}

private struct OvertakenRevision: Hashable {
    let documentID: DocumentID
    let revisionID: RevisionID
}
