internal import DivanRevisions

extension StoreWriter {
    /// Checks a revision made by this peer itself, and marks it if its body refers to blobs: a caller
    /// unaware of any may have kept an attachment, whose content would be collected.
    func checked(_ revision: LocalRevision) throws(StoreError) -> LocalRevision {
        let names = try checkKeys(revision.body, of: revision.documentID)
        guard names, !revision.hasBlobs else { return revision }
        var revision = revision
        revision.hasBlobs = true
        return revision
    }

    /// Checks a body made by this peer itself; if `isMerged`, an empty key is kept, since a peer may
    /// have sent it.
    ///
    /// - Returns: Whether it refers to blobs.
    func checkKeys(
        _ body: [UInt8],
        of documentID: DocumentID,
        isMerged: Bool = false
    ) throws(StoreError) -> Bool {
        let findings = BodyRules.findings(in: body)
        if let key = findings.reservedKey {
            throw StoreError(.forbiddenKey(documentID: documentID, key: key), at: path)
        }
        if !isMerged, BodyRules.hasEmptyKey(body) {
            throw StoreError(.forbiddenKey(documentID: documentID, key: ""), at: path)
        }
        if let key = findings.unsentKey { noteUnsent(key, of: documentID) }
        guard findings.hasAttachments || BodyRules.mayHoldBlob(body) else { return false }
        let count = (try? BlobReferences.digests(in: body).count) ?? 0
        let limit = StoreLimits.documentBlobsCount
        guard count <= limit else {
            throw StoreError(
                .tooManyBlobs(documentID: documentID, count: count, limit: limit),
                at: path
            )
        }
        return count > 0
    }
}
