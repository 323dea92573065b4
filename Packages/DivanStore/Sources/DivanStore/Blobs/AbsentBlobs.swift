public import DivanRevisions

// Contents that documents name and that were not fetched with them, because the replicator was told
// to leave them at the peer: each with a document under which the peer has it.
extension StoreWriter {
    /// Notes that a content was left at the peer, under a document of it.
    public func noteAbsent(
        _ digest: BlobDigest,
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) {
        let text = "\(collection)\n\(documentID.text)"
        try setMetadata(AbsentBlobs.key(digest), Array(text.utf8))
    }

    /// Notes that a content is here by now.
    public func noteArrived(_ digest: BlobDigest) throws(StoreError) {
        guard try metadata(AbsentBlobs.key(digest)) != nil else { return }
        try setMetadata(AbsentBlobs.key(digest), nil)
    }
}

extension StoreReader {
    /// The document under which the peer has a content that was left there; `nil` when none was.
    public func absentBlob(_ digest: BlobDigest) throws(StoreError) -> Damage.DocumentName? {
        guard let bytes = try metadata(AbsentBlobs.key(digest)),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let path = CollectionPath(String(decoding: bytes[..<end], as: UTF8.self))
        else { return nil }
        let documentID = String(decoding: bytes[(end + 1)...], as: UTF8.self)
        return Damage.DocumentName(DocumentID(unchecked: documentID), in: path)
    }

    /// Those of `digests` that were left at a peer.
    func absentBlobs(among digests: Set<BlobDigest>) throws(StoreError) -> Set<BlobDigest> {
        var absent: Set<BlobDigest> = []
        for digest in digests where try absentBlob(digest) != nil { absent.insert(digest) }
        return absent
    }
}

private enum AbsentBlobs {
    static func key(_ digest: BlobDigest) -> String { "absent-blob:\(digest)" }
}
