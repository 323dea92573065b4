import DivanBLIP
import DivanRevisions
import DivanStore

/// A received revision on its way into the store; handed on by reference, for it is large.
final class IncomingRevision {
    /// The request to answer after the commit; `nil` when no answer is wanted.
    let request: BLIPRequestID?
    let collection: Int
    let message: RevisionMessage
    let body: [UInt8]
    let hasBlobs: Bool
    var life = PulledRevision.requested
    /// The difference that the body was made from, if any.
    var delta: DeltaUse?
    /// Contents that were left at the peer.
    var absentBlobs: [BlobDigest] = []
    /// Keep its blobs from being collected until it is stored.
    var holds: [BlobHold] = []
    /// Who decides once more whether it is taken, where it had to wait.
    ///
    /// The document may have gone to somebody else meanwhile. `nil` at an active peer, whose pull filter is
    /// asked once.
    var admission: Admission?
    /// Whether the sender has told something newer of the document.
    var isOutdated = false

    init(
        _ message: RevisionMessage,
        body: [UInt8],
        hasBlobs: Bool,
        collection: Int,
        answering request: BLIPRequestID?
    ) {
        self.message = message
        self.body = body
        self.hasBlobs = hasBlobs
        self.collection = collection
        self.request = request
    }

    /// What is particular about it, for the application.
    var flags: SyncFlags { message.isTombstone ? .deleted : [] }
}

extension StoreWriter {
    /// Stores received revisions; what is wrong with one alone does not end the transaction.
    ///
    /// `remote` is who sent them, `nil` on the passive side; `keepsOrder` says whether the sender keeps
    /// to one order of revisions that were given up for each other, and is `nil` where each message does.
    func insert(
        _ revisions: [IncomingRevision],
        in paths: [CollectionPath],
        from remote: RemoteID?,
        keepsOrder: Bool? = nil
    ) throws -> [RevisionResult] {
        var results: [RevisionResult] = []
        results.reserveCapacity(revisions.count)
        for start in stride(from: 0, to: revisions.count, by: StoreLimits.addedTogetherCount) {
            let some = revisions[start...].prefix(StoreLimits.addedTogetherCount)
            if let first = try insertFirst(some, in: paths, from: remote) {
                for place in 0..<UInt64(some.count) {
                    let sequence = first + place
                    results.append(
                        .inserted(sequence: sequence, isConflict: false, isBranched: false)
                    )
                }
                continue
            }
            for revision in some {
                let keepsOrder = keepsOrder ?? revision.message.keepsOrder
                let received = revision.received(from: remote, keepsOrder: keepsOrder)
                results.append(try insert(revision, received, in: paths[revision.collection]))
            }
        }
        return results
    }

    /// Stores as many new documents as are worth one step; `nil` where they are fewer, or anything else.
    private func insertFirst(
        _ revisions: ArraySlice<IncomingRevision>,
        in paths: [CollectionPath],
        from remote: RemoteID?
    ) throws -> UInt64? {
        guard revisions.count > 3, let first = revisions.first,
            revisions.allSatisfy({
                $0.collection == first.collection && $0.message.ancestry.ids.isEmpty
                    && $0.absentBlobs.isEmpty
            })
        else { return nil }
        let received = revisions.map { $0.received(from: remote, keepsOrder: false) }
        return try insertFirst(received, in: paths[first.collection])
    }

    private func insert(
        _ revision: IncomingRevision,
        _ received: RemoteRevision,
        in path: CollectionPath
    ) throws -> RevisionResult {
        let message = revision.message
        do throws(StoreError) {
            let outcome = try insert(received, in: path)
            for digest in revision.absentBlobs {
                try noteAbsent(digest, of: message.documentID, in: path)
            }
            return switch outcome {
            case .inserted(let sequence, let isConflict, let isBranched):
                .inserted(sequence: sequence, isConflict: isConflict, isBranched: isBranched)
            case .alreadyThere: .alreadyThere(lastSequence: try lastSequence(in: path))
            case .overtaken:
                .overtaken(
                    lastSequence: try lastSequence(in: path),
                    winner: try change(of: message.documentID, in: path)
                )
            case .givenUp(let sequence, let current):
                .givenUp(sequence: sequence, current: current)
            }
        } catch {
            guard error.concernsOneDocument else { throw error }
            return .failed(SyncError(storage: error), isLost: false)
        }
    }
}

extension IncomingRevision {
    fileprivate func received(from remote: RemoteID?, keepsOrder: Bool) -> RemoteRevision {
        RemoteRevision(
            documentID: message.documentID,
            revisionID: message.revisionID,
            history: message.ancestry.ids,
            mergeCount: message.ancestry.mergeCount,
            isTombstone: message.isTombstone,
            body: body,
            hasBlobs: hasBlobs,
            remote: remote,
            // Only the active side stores conflicts, for it alone resolves them.
            refusesConflicts: remote == nil,
            closing: message.closing,
            keepsOrder: keepsOrder,
            isOutdated: isOutdated
        )
    }
}

extension BLIPReply {
    /// The revision is stored; where it became one of several branches the sender must still hear which
    /// of them counts.
    static func stored(isBranched: Bool) -> BLIPReply {
        isBranched ? BLIPReply(properties: [OwnProperty.branched: "true"]) : .empty
    }

    /// The revision was here already, or is not wanted any more.
    static var noop: BLIPReply { BLIPReply(properties: ["noop": "true"]) }
}
