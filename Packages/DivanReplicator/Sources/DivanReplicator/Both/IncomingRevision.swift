import DivanBLIP
import DivanRevisions
import DivanStore

/// A received revision on its way into the store; a class, because it is large.
final class IncomingRevision {
    /// The request to answer after the commit; `nil` if no answer is expected.
    let request: BLIPRequestID?
    let collection: Int
    let message: RevisionMessage
    let body: [UInt8]
    let hasBlobs: Bool
    var life = PulledRevision.requested
    /// The delta from which the body was made, if any.
    var delta: DeltaUse?
    /// Blobs whose content was left at the peer.
    var absentBlobs: [BlobDigest] = []
    /// Protect its blobs from garbage collection until it is stored.
    var holds: [BlobHold] = []
    /// Those of its blobs that its sender could fetch with the document as stored; `nil` before it was looked.
    var readableBlobs: Set<BlobDigest>?
    /// Decides once more whether it is accepted, if it had to wait.
    ///
    /// The document may have been given to another user meanwhile. `nil` at an active peer, whose pull filter is asked
    /// once.
    var admission: Admission?
    /// Whether the sender has reported something newer about the document.
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

    /// Bytes that it takes while it is here: its body, and for each blob its reference, its hold, its place in the
    /// queue and its waiter, which are ten times as long as the shortest blob name in a body.
    var byteCount: Int { body.count + holds.count * 640 }

    /// Its flags, for the application.
    var flags: SyncFlags { message.isTombstone ? .deleted : [] }
}

extension IncomingRevision {
    /// The part of it that is stored.
    ///
    /// `remote` is the sender, `nil` on the passive side; `keepsOrder` says whether the sender keeps to one order of
    /// revisions that were given up for each other, and is `nil` if each message says so itself.
    func arrived(from remote: RemoteID?, keepsOrder: Bool? = nil) -> ArrivedRevision {
        ArrivedRevision(
            collection: collection,
            absentBlobs: absentBlobs,
            received: RemoteRevision(
                documentID: message.documentID,
                revisionID: message.revisionID,
                history: message.ancestry.ids,
                mergeCount: message.ancestry.mergeCount,
                isTombstone: message.isTombstone,
                body: body,
                hasBlobs: hasBlobs,
                remote: remote,
                // Only the active side stores conflicts, because only it resolves them.
                refusesConflicts: remote == nil,
                closing: message.closing,
                keepsOrder: keepsOrder ?? message.keepsOrder,
                isOutdated: isOutdated
            )
        )
    }
}

extension BLIPReply {
    /// The revision is stored; if it became one of several branches, the sender must still be told which one counts.
    static func stored(isBranched: Bool) -> BLIPReply {
        isBranched ? BLIPReply(properties: [DivanProperty.branched: "true"]) : .empty
    }

    /// The revision was already here, or is no longer wanted.
    static var noop: BLIPReply { BLIPReply(properties: ["noop": "true"]) }
}
