import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// What the store would refuse, found before a batch is built so that the line can be named.
enum StoreRules {
    /// Refuses to put a blob where CouchDB keeps its attachments: no peer would find it there.
    static func check(blobKey key: String) throws(Failure) {
        guard ExactText(key) == ExactText(InlineBlobs.attachmentsKey) else { return }
        throw Failure(
            kind: .invalid,
            sentence:
                "the key \"\(key)\" is for attachments of CouchDB; choose another for the blob"
        )
    }

    /// What to say of a body that is stored here and that no peer takes; `nil` for nearly all.
    static func warning(of documentID: DocumentID, byteCount: Int) -> String? {
        let limit = StoreLimits.syncedBodyByteCount
        guard byteCount > limit else { return nil }
        return
            "\(documentID.text.escapingControlCharacters()): \(Numbers.bytes(byteCount)), but no more "
            + "than \(Numbers.bytes(limit)) travel to a peer; put large content into blobs"
    }

    static func check(topLevelKeys: [String]) throws(Failure) {
        let keys = Set(topLevelKeys.map { ExactText($0) })
        for key in BodyRules.reservedKeys where keys.contains(ExactText(key)) {
            throw Failure(kind: .invalid, sentence: "the key \"\(key)\" is reserved; rename it")
        }
        if topLevelKeys.contains("") {
            throw Failure(
                kind: .invalid,
                sentence: "a key is empty; name it, for Couchbase Lite would refuse the document"
            )
        }
    }
}
