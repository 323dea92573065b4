import DivanBLIP
import DivanJSON
import DivanStore

// Received revisions that name blobs: held back until the contents are here.
extension SyncPeer {
    /// Stores the revision with the next batch, or after its blobs have come.
    mutating func hold(
        _ received: consuming IncomingRevision,
        _ body: ReceivedBody
    ) throws(SyncError) {
        var revision = consume received
        guard body.blobs.count <= session.limits.revisionBlobsCount else {
            throw .http(413, "more than \(session.limits.revisionBlobsCount) blobs in one revision")
        }
        revision.holds = body.blobs.map { session.store.blobs.hold($0.digest) }
        let missing = try missingBlobs(of: body, in: revision)
        guard !missing.isEmpty else {
            inbox.add(revision)
            return
        }
        guard inbox.hasRoom(for: revision.body.count, session.limits) else {
            throw .http(503, "too many revisions wait for their blobs")
        }
        let parkedID = inbox.park(revision, missingCount: missing.count)
        for blob in missing {
            blobs.want(
                BlobFetcher.Waiter(
                    parkedID: parkedID,
                    collection: revision.collection,
                    documentID: revision.message.documentID,
                    blob: blob
                )
            )
        }
    }

    /// The blobs that the peer has to send.
    ///
    /// Where it may not have every blob of the database it sends each one that it has not shown to
    /// have, stored here or not: naming a digest would else give it the content, and whether the
    /// content is asked for would tell that it is here.
    private func missingBlobs(
        of body: ReceivedBody,
        in revision: IncomingRevision
    ) throws(SyncError) -> [BlobReference] {
        let readable = session.bindsBlobs ? readableBlobs(of: revision) : []
        var missing: [BlobReference] = []
        for blob in body.blobs {
            let isProven =
                !session.bindsBlobs || readable.contains(blob.digest)
                || session.hasShown(blob.digest)
            if isProven, session.store.blobs.contains(blob.digest) { continue }
            guard !body.orphans.contains(blob.digest) else {
                throw .http(404, "the sender has no content for \(blob.digest.description)")
            }
            guard blob.byteCount <= session.limits.blobByteCount else {
                throw BlobFetcher.tooLarge(session.limits)
            }
            missing.append(blob)
        }
        return missing
    }

    /// The blobs of the document as it is now, where the peer may fetch it: those it can have anyway.
    private func readableBlobs(of revision: IncomingRevision) -> Set<BlobDigest> {
        let collection = collections[revision.collection]
        guard case .passive(let options) = session.configuration.role, options.allowsPull,
            let stored = try? session.store.read({ reader in
                try reader.document(revision.message.documentID, in: collection.path)
            }),
            // A larger one is not read for a message that may be short; its blobs come again.
            stored.body.count <= session.limits.comparedByteCount,
            collection.readFilter?(
                FilteredRevision(stored.documentID, stored.revisionID, body: stored.body)
            ) ?? true
        else { return [] }
        return (try? BlobReferences.digests(in: stored.body.span)) ?? []
    }
}
