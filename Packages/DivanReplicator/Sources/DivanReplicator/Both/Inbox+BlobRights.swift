import DivanBLIP
import DivanRevisions
import DivanStore

/// Which blobs of a received revision the peer must send.
extension Inbox {
    /// The blobs of a revision that are not here.
    struct BlobNeeds {
        /// Those to fetch.
        var missing: [BlobReference] = []
        /// Those left at the peer.
        var absent: [BlobDigest] = []
    }

    /// The blobs that the peer must send, and those left at the peer.
    ///
    /// A peer that may not have every blob of the database sends each one that it has not shown to have, stored here or
    /// not: otherwise naming a digest would give it the content, and whether the content is requested would reveal that
    /// it is here. An active peer may leave blobs at the other side.
    func needs(
        of body: ReceivedBody,
        _ documentID: DocumentID,
        in admission: Admission
    ) throws(SyncError) -> BlobNeeds {
        let policy = connection.configuration.blobPolicy
        let rights = connection.blobRights
        let readable = rights.areBound ? readableBlobs(of: documentID, in: admission) : []
        var needs = BlobNeeds()
        for blob in body.blobs {
            let isProven =
                !rights.areBound || readable.contains(blob.digest) || rights.hasShown(blob.digest)
            if isProven, connection.store.blobs.contains(blob.digest) { continue }
            guard !body.orphans.contains(blob.digest) else {
                throw .http(
                    .notFound,
                    "the sender does not have the content of blob \(blob.digest.description)"
                )
            }
            if policy.leaves(blob) {
                needs.absent.append(blob.digest)
                continue
            }
            guard blob.byteCount <= connection.limits.blobByteCount else {
                throw BlobFetcher.tooLarge(connection.limits)
            }
            needs.missing.append(blob)
        }
        return needs
    }

    /// The blobs of the document as stored now, if the peer may fetch it: it can get those anyway.
    private func readableBlobs(
        of documentID: DocumentID,
        in admission: Admission
    ) -> Set<BlobDigest> {
        let stored = try? connection.store.read { reader -> StoredDocument? in
            // A larger one is not read for a message that may be short: first the peer is asked.
            guard admission.isReadable,
                let row = try reader.change(of: documentID, in: admission.path),
                row.bodyByteCount <= connection.limits.comparedByteCount,
                connection.readingCredit.spend(row.bodyByteCount, at: connection.now)
            else { return nil }
            return try reader.document(documentID, in: admission.path)
        }
        return blobs(of: stored ?? nil, in: admission)
    }

    private func blobs(of stored: StoredDocument?, in admission: Admission) -> Set<BlobDigest> {
        guard let stored,
            admission.mayRead(stored.documentID, stored.revisionID, stored.body)
        else { return [] }
        return (try? BlobReferences.digests(in: stored.body)) ?? []
    }

    /// What a blob that the peer did not send means for a revision: nothing if the peer has none, because it left it
    /// here, and could fetch it with the document as stored now.
    ///
    /// This is asked last, for a document of any size, and so on credit.
    func verdict(
        on error: SyncError,
        _ digest: BlobDigest,
        of revision: IncomingRevision
    ) -> SyncError? {
        guard error.saysNotFound, connection.blobRights.areBound,
            let admission = revision.admission, admission.isReadable
        else { return error }
        do throws(SyncError) {
            let readable = try blobsReadOnCredit(of: revision, in: admission)
            let isHere = readable.contains(digest) && connection.store.blobs.contains(digest)
            return isHere ? nil : error
        } catch {
            return error
        }
    }

    /// Those of a revision's blobs that the peer could fetch.
    private func blobsReadOnCredit(
        of revision: IncomingRevision,
        in admission: Admission
    ) throws(SyncError) -> Set<BlobDigest> {
        if let known = revision.readableBlobs { return known }
        guard connection.readingCredit.isPositive(at: connection.now) else {
            throw .http(.serviceUnavailable, "read limit for blobs reached; retry later")
        }
        let documentID = revision.message.documentID
        let stored: StoredDocument?
        do {
            stored = try connection.store.read { try $0.document(documentID, in: admission.path) }
        } catch let error as StoreError where error.concernsOneDocument {
            stored = nil
        } catch {
            throw SyncError(storage: error)
        }
        connection.readingCredit.owe(stored?.body.count ?? 0)
        // No more is kept than the revision itself takes.
        let named = blobs(of: stored, in: admission).intersection(revision.holds.map(\.digest))
        revision.readableBlobs = named
        return named
    }
}

extension SyncError {
    /// Whether the peer says that it does not have what was requested.
    fileprivate var saysNotFound: Bool {
        isFromPeer && [.http(.notFound), .liteCore(.notFound)].contains(wireCode)
    }
}
