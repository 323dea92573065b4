public import DivanRevisions

// Blobs that documents refer to but that were not fetched with them, because the replicator was
// configured to leave them at the peer; recorded with the documents under which the peer has them.
extension StoreWriter {
    /// Records that a blob is not downloaded yet, under one of the documents that reference it.
    ///
    /// Only the `StoreLimits.absentBlobNamesCount` most recently recorded documents are kept.
    public func noteAbsent(
        _ digest: BlobDigest,
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) {
        let name = Damage.DocumentName(documentID, in: collection)
        var names = try absentBlobNames(digest)
        guard names.first != name else { return }
        names.removeAll { $0 == name }
        names = [name] + names.prefix(StoreLimits.absentBlobNamesCount - 1)
        try setMetadata(AbsentBlobs.key(digest), AbsentBlobs.encoded(names))
    }

    /// Records that a blob was downloaded, for all documents that reference it.
    public func noteArrived(_ digest: BlobDigest) throws(StoreError) {
        guard try metadata(AbsentBlobs.key(digest)) != nil else { return }
        try setMetadata(AbsentBlobs.key(digest), nil)
    }
}

extension StoreReader {
    /// The document under which a blob was most recently recorded as not downloaded; `nil` if none.
    public func absentBlob(_ digest: BlobDigest) throws(StoreError) -> Damage.DocumentName? {
        try absentBlobNames(digest).first
    }

    /// The documents through which a blob that is not downloaded can be requested from the peer, the latest first.
    ///
    /// Some of them may have been deleted on the peer, or may reference another blob by now.
    public func absentBlobNames(
        _ digest: BlobDigest
    ) throws(StoreError) -> [Damage.DocumentName] {
        AbsentBlobs.decoded(try metadata(AbsentBlobs.key(digest)) ?? [])
    }

    /// Those of `digests` that were left at a peer.
    func absentBlobs(among digests: Set<BlobDigest>) throws(StoreError) -> Set<BlobDigest> {
        var absent: Set<BlobDigest> = []
        for digest in digests where try absentBlob(digest) != nil { absent.insert(digest) }
        return absent
    }
}

extension Store {
    /// Forgets where blobs were left that have arrived, or that no document refers to any more.
    ///
    /// Otherwise they would count as left at the peer for ever, even if they are lost here.
    func forgetAbsentBlobs(keeping used: Set<BlobDigest>) throws {
        let spent = try read { reader in
            try reader.current().values(in: .metadata).compactMap { key, _ in
                AbsentBlobs.digest(ofKey: key)
            }
        }.filter { !used.contains($0) || blobs.contains($0) }
        guard !spent.isEmpty else { return }
        try write { writer in
            for digest in spent { try writer.noteArrived(digest) }
        }
    }
}

/// Collection and ID of each document, separated by a line feed; a zero byte, which no ID contains,
/// separates the documents.
private enum AbsentBlobs {
    private static let prefix = "absent-blob:"

    static func key(_ digest: BlobDigest) -> String { "\(prefix)\(digest)" }

    static func digest(ofKey key: String) -> BlobDigest? {
        key.hasPrefix(prefix) ? BlobDigest(key.dropFirst(prefix.count)) : nil
    }

    static func encoded(_ names: [Damage.DocumentName]) -> [UInt8] {
        Array(names.map { "\($0.collection)\n\($0.documentID.text)" }.joined(separator: "\0").utf8)
    }

    static func decoded(_ bytes: [UInt8]) -> [Damage.DocumentName] {
        bytes.split(separator: 0).compactMap { name in
            guard let end = name.firstIndex(of: UInt8(ascii: "\n")),
                let path = CollectionPath(String(decoding: name[..<end], as: UTF8.self))
            else { return nil }
            let documentID = String(decoding: name[(end + 1)...], as: UTF8.self)
            return Damage.DocumentName(DocumentID(unchecked: documentID), in: path)
        }
    }
}
