import DivanConflicts
import DivanLog
import DivanReplicator
import DivanStore
import DivanTransport

/// Resolves conflicts: calls the resolver and stores its result.
///
/// **What it promises.** A resolved conflict leaves one live branch, which ends in the resolver's result. An
/// unresolved one stays unchanged, with both branches, and the application gets the error. `completion` is called
/// once for each conflict, and never inside a transaction.
///
/// **Its states** are those of one conflict: queued, read, passed to the resolver, stored, and given up. Nothing is
/// locked while the resolver runs: it may take long, and may use the database.
///
/// ```
/// queued ─→ read ─→ resolving ─→ stored ─→ resolved
///             ↑                    │ a branch has changed, or a further conflict is left
///             └────────────────────┘ at most `attemptLimit` times, then given up
/// read:      no conflict any more ─→ resolved       the document was purged ─→ given up
/// resolving: the resolver throws  ─→ given up
/// ```
///
/// The result is stored only if both branches are unchanged since the resolver was called. It is never called for
/// two tombstones: both sides have deleted the document, so the peer's tombstone stays, or, if a branch can be
/// closed, the one that every peer chooses. If both bodies are equal and the result is that body, the peer's revision
/// is kept, or, if a branch can be closed, the one that every peer chooses. That needs no new revision, so of the equal
/// merges of many peers one remains.
///
/// **What may be reordered.** Conflicts of different documents are resolved in parallel, in any order. Those of one
/// document are resolved one at a time: the engine requests the next one when one is resolved. Local saves and
/// revisions of the peer continue, and may overtake a result, which is then not stored.
///
/// **What bounds it.** `ConflictBacklog` limits the resolvers that a replication runs at a time and queues the
/// others; `processLimit` limits those of all replications; `attemptLimit` limits how often one is called for a
/// document that keeps changing. The engine counts peers that undo each other's results (`SyncStatus.rotating`).
///
/// **What a crash leaves.** The conflict, or the stored result. The next start of a replication that pulls finds the
/// remaining conflicts in the store and calls the resolver again. So a resolver may be called twice for one conflict
/// and must return the same result; it is responsible for its own side effects.
///
/// Source: `behaviour.md` §9.
struct ConflictProcessor: Sendable {
    /// How often a resolver is asked again because the document keeps changing.
    ///
    /// Then the conflict waits for the next start, so that this thread need not wait for a writer that
    /// never stops.
    static let attemptLimit = 100

    /// The most resolvers that run at the same time in the process: enough for sixteen replications that
    /// each run as many as they may, some of them slow.
    static let processLimit = 64

    private static let queue = WorkQueue(label: "divan.conflicts", limit: processLimit)

    /// Runs resolvers in parallel, off every event loop.
    static let onQueue: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
        queue.async(work)
    }

    let store: Store
    let resolvers: [CollectionPath: any ConflictResolver]
    let log: Log
    var run = Self.onQueue

    /// Resolves a conflict on another thread, and then calls `completion` from there.
    ///
    /// `closesRemote`: whether the peer understands that its branch is closed.
    func resolve(
        _ conflict: PendingConflict,
        closesRemote: Bool,
        completion: @escaping @Sendable (SyncError?) -> Void
    ) {
        run { completion(resolveNow(conflict, closesRemote)) }
    }

    private func resolveNow(_ conflict: PendingConflict, _ closesRemote: Bool) -> SyncError? {
        do {
            for _ in 0..<Self.attemptLimit where try attempt(conflict, closesRemote) { return nil }
            return SyncError(
                .liteCore(.conflict),
                "document \(conflict.documentID) changed \(Self.attemptLimit) times while its "
                    + "conflict was being resolved; sync again",
                hasRemedy: true
            )
        } catch let error as StoreError {
            return SyncError(storage: error)
        } catch let error as SyncError {
            return error
        } catch {
            log.error(
                "Document \(user: conflict.documentID): the conflict resolver failed: \(error)"
            )
            return SyncError(
                .liteCore(.conflict),
                "the conflict resolver failed: \(error); correct it, and sync again",
                hasRemedy: true
            )
        }
    }

    /// Returns false when the document must be read again: it changed while the resolver ran,
    /// or has a further conflict.
    private func attempt(_ pending: PendingConflict, _ closesRemote: Bool) throws -> Bool {
        let path = pending.collection
        let stored = try store.read { reader in
            guard
                try reader.document(pending.documentID, in: path, includingTombstones: true) != nil
            else {
                throw SyncError(.liteCore(.notFound), "document \(pending.documentID) was purged")
            }
            return try reader.conflict(of: pending.documentID, in: path)
        }
        guard let stored else { return true }  // settled elsewhere
        let resolution = try resolve(stored, in: path, closesRemote)
        // The objects that the answer retains must outlive the transaction that stores its body.
        var decision = try ConflictDecision(resolution)
        if stored.isSettled(by: decision) {
            let localWins = stored.precedence.remote < stored.precedence.local
            decision = closesRemote && localWins ? .keepLocal : .keepRemote
        }
        let settled = try withExtendedLifetime(resolution) {
            try store.write { writer in
                try writer.resolveConflict(
                    pending.documentID,
                    in: path,
                    local: stored.local.revisionID,
                    remote: stored.remote.revisionID,
                    decision: decision,
                    closesRemote: closesRemote
                )
            }
        }
        guard let settled else { return false }
        return !settled.flags.contains(.conflicted)
    }

    private func resolve(
        _ stored: StoredConflict,
        in path: CollectionPath,
        _ closesRemote: Bool
    ) throws -> Resolution {
        // Two tombstones agree already: the remote one stays, or the one that every peer chooses.
        if stored.local.isTombstone, stored.remote.isTombstone {
            let isGreater = stored.local.revisionID > stored.remote.revisionID
            return closesRemote && isGreater ? .keepLocal : .keepRemote
        }
        return try (resolvers[path] ?? DefaultResolver()).resolve(Conflict(stored))
    }
}

extension StoredConflict {
    /// Whether both sides are documents with the content that a resolver chose.
    fileprivate func isSettled(by decision: ConflictDecision) -> Bool {
        guard local.body == remote.body, !local.isTombstone, !remote.isTombstone else {
            return false
        }
        return switch decision {
        case .keepLocal, .keepRemote: true
        case .merge(let body, _): body == local.body
        case .delete: false
        }
    }
}
