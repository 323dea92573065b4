import DivanRevisions
import DivanStore

/// The local changes that one collection pushes, in the order of their sequences: what is new, what passes the filters,
/// and which marks of the peer's revisions are reliable.
struct PushFeed {
    private let path: CollectionPath
    private let connection: Connection
    private let checkpointer: Checkpointer
    private let filter: DocumentFilter?
    private let interest: DocumentFilter?
    private let wantedIDs: Set<DocumentID>
    /// Marks of changes up to this sequence are older than what the peer confirmed, and not reliable.
    private let trustedAfter: UInt64
    /// Documents that were in conflict when such a change was read: resolving one by keeping the peer's side relies on
    /// its mark.
    private var doubtfulIDs: Set<DocumentID> = []
    private var doubtsAll = false  // there were more of them than are remembered
    /// Documents whose current revision the peer had when it was read, while another one was in transit to it, or had
    /// just arrived.
    private var overtakenIDs: Set<DocumentID> = []
    private var lastSequence: UInt64  // the feed is read through here
    /// Local changes that have not been examined yet; never too few.
    private(set) var unreadCount: UInt64
    private(set) var phase = FeedPhase.backlog

    init(
        _ options: PeerConfiguration.CollectionOptions,
        after checkpointer: Checkpointer,
        through last: UInt64,
        over connection: Connection
    ) {
        self.connection = connection
        self.checkpointer = checkpointer
        path = options.path
        filter = options.pushFilter
        interest = options.interest
        wantedIDs = Set(options.documentIDs)
        lastSequence = checkpointer.completed.firstRangeEnd
        checkpointer.beginPush(through: last)
        trustedAfter = checkpointer.doubtedThrough
        unreadCount = last - min(last, lastSequence)
    }

    /// Whether bodies are read to ask a filter about them.
    var isFiltered: Bool { filter != nil || interest != nil }

    /// There are changes after the last one that was read.
    mutating func notice() {
        phase.notice()
    }

    /// Reads one list of changes; returns those to push, which the checkpoint may pass, and those that cannot be read,
    /// which it may not.
    mutating func read(
        whileUnderway isUnderway: (DocumentID) -> Bool
    ) throws -> (changes: [FeedChange], damaged: [DamagedChange]) {
        let limit = connection.limits.changesCount
        var verdicts: [Verdict] = []
        var damaged: [DamagedChange] = []
        let rows = try connection.store.readLiving { reader in
            let rows = try reader.changes(
                in: path,
                after: lastSequence,
                limit: limit,
                remote: connection.remote,
                noting: &damaged
            )
            verdicts.reserveCapacity(rows.count)
            for row in rows {
                verdicts.append(try verdict(on: row, isCompleted: isCompleted(row), reader))
            }
            return rows
        }
        if rows.count < limit {
            phase = .caughtUp
            unreadCount = 0
        }
        let last = max(rows.last?.sequence ?? 0, damaged.last?.sequence ?? 0)
        guard last > lastSequence else { return ([], []) }
        unreadCount -= min(unreadCount, last - lastSequence)
        var pending: [FeedChange] = []
        pending.reserveCapacity(rows.count)
        for (place, row) in rows.enumerated() {
            let isOld = row.sequence <= trustedAfter
            if isOld, row.flags.contains(.conflicted) { doubt(row.documentID) }
            guard verdicts[place] == .passes else {
                if verdicts[place] == .isThere, isUnderway(row.documentID) {
                    noteOvertaken(row.documentID)
                }
                continue
            }
            if !isCompleted(row) { pending.append(FeedChange(row, trustsAncestor: !isOld)) }
        }
        checkpointer.completed.insert((lastSequence + 1)..<(last + 1))
        damaged.removeAll { !isWanted($0.documentID) }
        for change in damaged { checkpointer.completed.remove(change.sequence) }
        lastSequence = last
        return (pending, damaged)
    }

    private func isWanted(_ documentID: DocumentID) -> Bool {
        wantedIDs.isEmpty || wantedIDs.contains(documentID)
    }

    private func isCompleted(_ row: ChangeRow) -> Bool {
        checkpointer.completed.contains(row.sequence)
    }

    /// The peer has the current revision of a document, and may accept another one after it.
    mutating func noteOvertaken(_ documentID: DocumentID) {
        guard overtakenIDs.count < connection.limits.doubtfulDocumentsCount else { return }
        overtakenIDs.insert(documentID)
    }

    private mutating func doubt(_ documentID: DocumentID) {
        doubtsAll = doubtsAll || doubtfulIDs.count >= connection.limits.doubtfulDocumentsCount
        if !doubtsAll { doubtfulIDs.insert(documentID) }
    }

    /// Records about the document at the peer are reliable: it sent a revision in this run, or is being asked.
    mutating func trust(_ documentID: DocumentID) {
        if !doubtfulIDs.isEmpty { doubtfulIDs.remove(documentID) }
    }

    /// Whether the peer had the current revision of some document and has accepted another one since.
    var hasOvertaken: Bool { !overtakenIDs.isEmpty }

    /// Whether that applies to one document; asking clears it.
    mutating func takeOvertaken(_ documentID: DocumentID) -> Bool {
        overtakenIDs.remove(documentID) != nil
    }

    /// Whether a change is to be pushed.
    private enum Verdict {
        case passes
        /// The peer has it.
        case isThere
        /// In conflict, not in the list, or refused by the filter.
        case isLeftOut
    }

    /// Whether a change that counts as done is to be pushed after all; filters see the body.
    func passes(overdue row: ChangeRow, _ reader: StoreReader) throws -> Bool {
        try verdict(on: row, isCompleted: false, reader) == .passes
    }

    private func verdict(
        on row: ChangeRow,
        isCompleted: Bool,
        _ reader: StoreReader
    ) throws -> Verdict {
        guard !row.flags.contains(.conflicted), isWanted(row.documentID) else { return .isLeftOut }
        let isTrusted =
            row.sequence > trustedAfter && !doubtsAll && !doubtfulIDs.contains(row.documentID)
        if isTrusted, row.remoteAncestor == row.revisionID { return .isThere }
        // A change that was pushed after one that was left out is not pushed again, so no filter is asked.
        let filters = [filter, row.remoteAncestor == nil ? interest : nil].compactMap(\.self)
        guard !filters.isEmpty, !isCompleted else { return .passes }
        let isTombstone = row.flags.contains(.tombstone)
        let result = Result { () throws(StoreError) in
            try reader.revision(row.documentID, row.revisionID, in: path)
        }
        if case .failure(let error) = result, error.concernsOneDocument {
            return .passes  // no filter can judge it; sending it will fail, and tell why
        }
        let stored = try result.get()
        let revision = FilteredRevision(
            row.documentID,
            row.revisionID,
            body: stored?.body ?? [],
            flags: isTombstone ? .deleted : []
        )
        return filters.allSatisfy { $0(revision) } ? .passes : .isLeftOut
    }
}
