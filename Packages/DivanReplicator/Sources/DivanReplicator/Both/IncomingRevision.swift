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

    /// Bytes that it takes while it is here: its body, and of each blob what stands for it, its hold, its
    /// place in line and who waits for it, ten times as long as the shortest name of one in a body.
    var byteCount: Int { body.count + holds.count * 640 }

    /// What is particular about it, for the application.
    var flags: SyncFlags { message.isTombstone ? .deleted : [] }
}

extension IncomingRevision {
    /// What is stored of it.
    ///
    /// `remote` is who sent it, `nil` on the passive side; `keepsOrder` says whether the sender keeps
    /// to one order of revisions that were given up for each other, and is `nil` where each message does.
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
                // Only the active side stores conflicts, for it alone resolves them.
                refusesConflicts: remote == nil,
                closing: message.closing,
                keepsOrder: keepsOrder ?? message.keepsOrder,
                isOutdated: isOutdated
            )
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
