import DivanBLIP
import DivanJSON
import DivanStore

/// Manages the checkpoint of one collection: reads, compares and saves it at both peers.
///
/// Saves `checkpointInterval` after a change, or at once when push or pull becomes idle; one save at a time, the peer's
/// copy first. The local copy is written only after the peer has confirmed its own, so that ours never claims more.
///
/// Source: `checkpoints.md` §4–§6.
final class Checkpointer {
    let id: CheckpointID
    /// The name under which the peer is asked for its copy; differs from `id` after the database was copied, and
    /// in a first run that continues one in another direction.
    private(set) var askedID: CheckpointID
    // Unchecked: a checkpointer is used by one thread, and neither set calls out while it changes.
    /// Local sequences that need no push.
    @exclusivity(unchecked) var completed: SequenceSet
    /// The peer's sequences.
    @exclusivity(unchecked) var remote: RemoteSequences
    /// Whether a local copy existed when the replication began.
    private(set) var hadLocalCopy = false
    /// Whether the peer has a copy: then this database has met it before, whatever it contains now.
    private(set) var hasPeerCopy = false
    /// Whether the peer's copy confirmed ours; otherwise recorded remote ancestors are not trusted.
    ///
    /// A reset compares, too: it discards how far the peers had come, not what the remote is known to have. Otherwise
    /// documents that a server purged would be pushed back to it.
    private(set) var isConfirmed = false
    /// Whether something was recorded about the peer after the last save, when the replication began: it may have lost
    /// that again.
    private let hasMarks: Bool
    /// Transactions with such records in this connection.
    private var markCount = 0
    /// The local sequence up to which nothing recorded about the peer is reliable.
    ///
    /// If the two have met before, under this name or another, that lasts until the peer has answered for all of it,
    /// also in later runs. At a first meeting there is nothing to discard, and the checkpoint does not mention it.
    private(set) var doubtedThrough: UInt64 = 0
    /// Whether another connection continues where this one is: both copies were saved in it, or it became idle with
    /// nothing to save.
    private(set) var isKept = false
    /// When a changed checkpoint is due to be saved.
    private(set) var deadline: Duration?

    private let connection: Connection
    private let collection: Int
    private let path: CollectionPath
    /// Identifies the collection: another one with the same name has not come as far.
    private let collectionNumber: CollectionID?
    /// The local copy as it was found, even if it is not continued.
    private let found: Checkpoint?
    /// The saves from which our copy originates.
    private var lineage: CheckpointLineage
    private var saved: Checkpoint?
    private var peerRevision = ""
    private var hasPeerAnswer = false
    private var saving: Saving?

    private struct Saving {
        var state: Checkpoint
        var json: [UInt8]
        let markCount: Int
        var attemptCount = 1
    }

    /// Reads the local copy; a reset does not continue from it.
    init(
        names: CheckpointNames,
        collection: Int,
        path: CollectionPath,
        isReset: Bool,
        over connection: Connection
    ) throws {
        self.connection = connection
        id = names.id
        self.collection = collection
        self.path = path
        askedID = names.id
        collectionNumber = try connection.store.read { try $0.collectionNumber(path) }
        let store = connection.store
        let own = try names.localCopy(in: store)
        let related = try own == nil ? names.relatedCopy(in: store) : nil
        let copy = own ?? related.map { (id: $0.id, body: $0.body) }
        hasMarks =
            try own == nil
            ? names.hasMarks(in: store) || related?.confirmsAll == false
            : store.hasMarks(behind: names.id.description)
        found = copy.map { Checkpoint(json: $0.body) }
        var lineage = CheckpointLineage(json: copy?.body ?? [])
        // The copies under both names continue separately from here.
        if let copy, copy.id != names.id { lineage.beginLine() }
        self.lineage = lineage
        var state = Checkpoint()
        if let copy { askedID = copy.id }
        if !isReset, let copy, let found {
            state = found
            hadLocalCopy = true
            // A copy under another name must still be saved under the current one.
            if copy.id == names.id { saved = state }
        }
        completed = state.completed
        remote = RemoteSequences(since: state.remote)
    }

    /// The state that a save would write.
    var state: Checkpoint {
        var state = Checkpoint()
        state.completed = completed
        state.remote = remote.resumable
        if found != nil || connection.metBefore, doubtedThrough > completed.firstRangeEnd {
            state.doubtedThrough = doubtedThrough
        }
        return state
    }

    /// Whether a save is due.
    var isDue: Bool { deadline.map { $0 <= connection.now } ?? false }

    /// Whether everything is saved at both peers.
    var isSettled: Bool { saving == nil && !hasChanges }

    private var hasChanges: Bool {
        var (now, before) = (state, saved ?? Checkpoint())
        // Under a new name the doubt alone need not be saved: without a copy nothing is trusted anyway.
        if found == nil { (now.doubtedThrough, before.doubtedThrough) = (0, 0) }
        return now != before
    }

    /// Compares with the peer's copy, `nil` if it has none.
    func received(peerCopy: [UInt8]?, revision: String) {
        peerRevision = askedID == id ? revision : ""
        hasPeerAnswer = true
        hasPeerCopy = peerCopy != nil
        guard var mine = found else { return }
        let theirs = peerCopy.map { Checkpoint(json: $0) } ?? Checkpoint()
        doubtedThrough = max(mine.doubtedThrough, theirs.doubtedThrough)
        let theirLineage = CheckpointLineage(json: peerCopy ?? [])
        if lineage.isRelated(to: theirLineage) {
            isConfirmed = !mine.reconcile(with: theirs)
        } else {
            // Both went back in time, and their sequences mean different changes.
            mine = Checkpoint()
        }
        lineage = lineage.met(theirLineage)
        // Even if the state is the same: the peer has another copy.
        if !isConfirmed { saved = nil }
        if hadLocalCopy, !isConfirmed {
            completed = mine.completed
            remote = RemoteSequences(since: mine.remote)
        }
    }

    /// Discards the progress of both sides: the collection ends before it, so it is another one of the same name.
    func startOver() {
        completed = SequenceSet(through: 0)
        remote = RemoteSequences(since: nil)
        hadLocalCopy = false
    }

    /// Pulls again what follows a sequence; `nil` is the beginning.
    func pullAgain(after sequence: RemoteSequence?) {
        remote = RemoteSequences(since: sequence)
    }

    /// The last local sequence when the push starts, or a pull under the name that it shares: what is recorded about
    /// the changes up to it counts only with the peer's confirmation.
    func beginPush(through last: UInt64) {
        if !isConfirmed || hasMarks { doubtedThrough = last }
    }

    /// Records about the peer are about to be stored, in a transaction that calls `StoreWriter.noteMarks`.
    func willMark() { markCount += 1 }

    /// Asks the peer for its copy in legacy mode, or for the copy's revision after a refused save.
    func ask(isForSave: Bool) {
        var properties = connection.profile("getCheckpoint", about: collection)
        properties.append("client", (isForSave ? id : askedID).description)
        connection.ask(
            BLIPRequest(properties: properties),
            for: .checkpoint(collection: collection, isForSave: isForSave)
        )
    }

    /// Starts a save if one is due, or schedules it.
    func pump(isForced: Bool) {
        guard hasPeerAnswer, saving == nil, !connection.isClosed else { return }
        guard hasChanges else {
            deadline = nil
            if isForced, connection.life == .running, connection.error == nil { isKept = true }
            return
        }
        if !isForced {
            let due = deadline ?? (connection.now + connection.configuration.checkpointInterval)
            deadline = due
            guard connection.now >= due else { return }
        }
        deadline = nil
        lineage.advance(connection.configuration.random)
        let json = state.json(
            time: connection.configuration.secondsSince1970(),
            lineage: lineage
        )
        saving = Saving(state: state, json: json, markCount: markCount)
        send()
    }

    private func send() {
        guard let saving else { return }
        var properties = connection.profile("setCheckpoint", about: collection)
        properties.append("client", id.description)
        properties.append("rev", peerRevision)
        connection.ask(
            BLIPRequest(properties: properties, body: .bytes(saving.json)),
            for: .saveCheckpoint(collection: collection)
        )
    }

    /// Handles the answer to `setCheckpoint`.
    func received(saveReply reply: BLIPIncomingReply) {
        guard let saving else { return }
        if let failure = reply.error {
            let error = SyncError(failure)
            // Another copy of this database was here, or our record of the revision is outdated, or Sync Gateway's copy
            // has expired: ask for it.
            if [.http(.conflict), .http(.notFound)].contains(error.wireCode),
                saving.attemptCount < 5
            {
                self.saving?.attemptCount += 1
                ask(isForSave: true)
            } else {
                saved = saving.state  // given up: the local copy stays as it is
                self.saving = nil
                connection.fail(error)
            }
            return
        }
        peerRevision = reply.properties["rev"] ?? ""
        saved = saving.state
        self.saving = nil
        do {
            try connection.store.setLocalCheckpoint(
                id.description,
                of: path,
                numbered: collectionNumber,
                saving.json,
                // What the peer received after its copy may not be on its disk.
                coversMarks: saving.markCount == markCount
            )
            isKept = true
        } catch {
            connection.fail(SyncError(storage: error))
        }
    }

    /// Handles the answer to `getCheckpoint` after a refused save: only its revision counts.
    func received(revisionReply reply: BLIPIncomingReply) {
        peerRevision = reply.error == nil ? reply.properties["rev"] ?? "" : ""
        send()
    }
}
