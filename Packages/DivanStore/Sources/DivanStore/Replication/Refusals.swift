public import DivanRevisions

/// A revision that a remote permanently rejected, or that could not be pulled from it.
///
/// A rejected revision is not sent again until the document changes or a resend is requested. A revision that could not
/// be pulled is listed until the remote sends it, or no longer has it.
public struct Refusal: Equatable, Sendable {
    /// The document.
    public var documentID: DocumentID
    /// The revision.
    public var revisionID: RevisionID
    /// Its sequence, which changes with the document; of a pulled revision its sequence at the remote, 0 if that is not
    /// a number.
    public var sequence: UInt64
    /// The domain of `code`, as a number that the caller defines.
    public var domain: UInt8
    /// The error code.
    public var code: Int
    /// The message of the remote; at most `StoreLimits.refusalMessageByteCount` bytes are kept.
    public var message: String
    /// When it was rejected or could not be pulled, in seconds since 1970.
    public var time: Int64

    /// Creates a refusal for `StoreWriter.note`.
    public init(
        documentID: DocumentID,
        revisionID: RevisionID,
        sequence: UInt64,
        domain: UInt8,
        code: Int,
        message: String,
        time: Int64
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.sequence = sequence
        self.domain = domain
        self.code = code
        self.message = message
        self.time = time
    }
}

// MARK: Reading

extension StoreReader {
    /// The documents of a collection that a remote still rejects, ascending by document ID.
    ///
    /// Excludes documents that have been changed or purged since, and those that the remote is known to have by
    /// now.
    public func refusals(
        in collection: CollectionPath,
        at remote: RemoteID
    ) throws(StoreError) -> [Refusal] {
        let collection = try self.collection(collection)
        var found: [Refusal] = []
        for refusal in try storedRefusals(in: collection, at: remote)
        where try counts(refusal, in: collection, at: remote) {
            found.append(refusal)
        }
        return found
    }

    /// The documents of a collection whose last revision at a remote could not be pulled, ascending by document ID.
    public func failedPulls(
        in collection: CollectionPath,
        from remote: RemoteID
    ) throws(StoreError) -> [Refusal] {
        let collection = try self.collection(collection)
        let place = RefusalKey(collection: collection.id, remote: remote, isPull: true)
        var found: [Refusal] = []
        for failure in try storedRefusals(at: place) {
            let row = try current().row(failure.documentID, in: collection.id, content: .summary)
            // Another peer may have sent it.
            if row?.revisionID != failure.revisionID { found.append(failure) }
        }
        return found
    }

    /// Whether any rejection is recorded, even if it no longer applies; takes a single lookup.
    public func hasRefusals(
        in collection: CollectionPath,
        at remote: RemoteID
    ) throws(StoreError) -> Bool {
        let id = try self.collection(collection).id
        return try refusalCount(RefusalKey(collection: id, remote: remote)) > 0
    }

    /// The number of entries, including those that no longer apply; takes a single lookup.
    fileprivate func refusalCount(_ place: RefusalKey) throws(StoreError) -> Int {
        guard let text = try value(place.counterKey, in: .refusals) else { return 0 }
        if let count = Int(String(decoding: text, as: UTF8.self)), count > 0 { return count }
        // Damaged: the entries only save work, so they are counted.
        return try current().values(in: .refusals, beginningWith: place.prefix).count
    }

    fileprivate func storedRefusals(
        in collection: OpenCollection,
        at remote: RemoteID
    ) throws(StoreError) -> [Refusal] {
        try storedRefusals(at: RefusalKey(collection: collection.id, remote: remote))
            .filter { $0.sequence > 0 }
    }

    fileprivate func storedRefusals(at place: RefusalKey) throws(StoreError) -> [Refusal] {
        guard try refusalCount(place) > 0 else { return [] }
        var found: [Refusal] = []
        for (key, value) in try current().values(in: .refusals, beginningWith: place.prefix) {
            guard let documentID = place.documentID(of: key) else { continue }
            // A damaged one is ignored: the document is offered once more.
            if let refusal = Refusal(documentID, encoded: value) { found.append(refusal) }
        }
        return found
    }

    fileprivate func counts(
        _ refusal: Refusal,
        in collection: OpenCollection,
        at remote: RemoteID
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let id = refusal.documentID
            guard let row = try current().row(id, in: collection.id, content: .summary),
                row.sequence == refusal.sequence, row.revisionID == refusal.revisionID
            else { return false }
            return try ancestor(of: row, at: remote, in: collection) != row.revisionID
        } catch  where error.concernsOneDocument {
            return false  // damaged; whoever reads the document is told
        }
    }
}

// MARK: Writing

extension StoreWriter {
    /// Records a rejected revision, replacing an earlier rejection of the same document.
    ///
    /// Beyond `StoreLimits.refusalCount`, only recorded documents are updated.
    public func note(
        _ refusals: [Refusal],
        at remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) {
        guard !refusals.isEmpty else { return }
        let id = try self.collection(collection).id
        try note(refusals, at: RefusalKey(collection: id, remote: remote))
    }

    /// Records revisions that could not be pulled, replacing what is recorded about the same documents.
    ///
    /// Beyond `StoreLimits.refusalCount`, only recorded documents are updated.
    public func noteFailedPulls(
        _ failures: [Refusal],
        from remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) {
        guard !failures.isEmpty else { return }
        let id = try self.collection(collection).id
        try note(failures, at: RefusalKey(collection: id, remote: remote, isPull: true))
    }

    /// Forgets that documents could not be pulled.
    public func forgetFailedPulls(
        of documentIDs: some Collection<DocumentID>,
        from remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) {
        guard !documentIDs.isEmpty else { return }
        let id = try self.collection(collection).id
        let place = RefusalKey(collection: id, remote: remote, isPull: true)
        let countBefore = try refusalCount(place)
        var count = countBefore
        for documentID in documentIDs {
            let key = place.key(of: documentID)
            guard try value(key, in: .refusals) != nil else { continue }
            try setValue(nil, for: key, in: .refusals)
            count -= 1
        }
        if count != countBefore { try setRefusalCount(max(0, count), place) }
    }

    private func note(_ refusals: [Refusal], at place: RefusalKey) throws(StoreError) {
        let countBefore = try refusalCount(place)
        var count = countBefore
        for refusal in refusals {
            let key = place.key(of: refusal.documentID)
            if try value(key, in: .refusals) == nil {
                guard count < StoreLimits.refusalCount else { continue }
                count += 1
            }
            try setValue(refusal.encoded, for: key, in: .refusals)
        }
        if count != countBefore { try setRefusalCount(count, place) }
    }

    /// Deletes rejections that no longer apply.
    ///
    /// - Returns: The rejections that still apply, like `refusals(in:at:)`.
    @discardableResult
    public func pruneRefusals(
        in collection: CollectionPath,
        at remote: RemoteID
    ) throws(StoreError) -> [Refusal] {
        let collection = try self.collection(collection)
        let place = RefusalKey(collection: collection.id, remote: remote)
        let stored = try storedRefusals(in: collection, at: remote)
        var kept: [Refusal] = []
        for refusal in stored {
            if try counts(refusal, in: collection, at: remote) {
                kept.append(refusal)
            } else {
                try setValue(nil, for: place.key(of: refusal.documentID), in: .refusals)
            }
        }
        if kept.count != stored.count { try setRefusalCount(kept.count, place) }
        return kept
    }

    /// Forgets what remotes refused of a collection that is being deleted.
    func forgetRefusals(in collection: OpenCollection) throws(StoreError) {
        let prefix = RefusalKey.prefix(of: collection.id)
        for (key, _) in try current().values(in: .refusals, beginningWith: prefix) {
            try setValue(nil, for: key, in: .refusals)
        }
    }

    private func setRefusalCount(_ count: Int, _ place: RefusalKey) throws(StoreError) {
        let text = count > 0 ? Array(String(count).utf8) : nil
        try setValue(text, for: place.counterKey, in: .refusals)
    }
}

// MARK: The stored form

/// The keys of the refusals of one remote and collection: `collection/remote/document ID`, and their
/// number under `collection/remote`; of failed pulls, `remote` is followed by `p`.
private struct RefusalKey {
    let counterKey: String
    /// The prefix of its documents' keys.
    let prefix: String

    init(collection: CollectionID, remote: RemoteID, isPull: Bool = false) {
        counterKey = Self.prefix(of: collection) + "\(remote.rawValue)" + (isPull ? "p" : "")
        prefix = counterKey + "/"
    }

    func key(of documentID: DocumentID) -> String { "\(counterKey)/\(documentID.text)" }

    /// The document of a key; `nil` if it is a key of something else.
    func documentID(of key: String) -> DocumentID? {
        // Compared by bytes: a combining character may merge with the slash before it.
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = key.utf8.dropFirst(prefix.utf8.count)
        return DocumentID(unchecked: String(decoding: rest, as: UTF8.self))
    }

    /// The prefix of all keys of a collection.
    static func prefix(of collection: CollectionID) -> String { "\(collection.rawValue)/" }
}

/// Sequence, revision, time, domain, code and message, separated by zero bytes.
extension Refusal {
    fileprivate init?(_ documentID: DocumentID, encoded: [UInt8]) {
        let parts = encoded.split(separator: 0, maxSplits: 5, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 6, let sequence = UInt64(parts[0]),
            let revisionID = RevisionID(ofAnyScheme: String(parts[1])), let time = Int64(parts[2]),
            let domain = UInt8(parts[3]), let code = Int(parts[4])
        else { return nil }
        self.init(
            documentID: documentID,
            revisionID: revisionID,
            sequence: sequence,
            domain: domain,
            code: code,
            message: parts[5],
            time: time
        )
    }

    fileprivate var encoded: [UInt8] {
        let head = "\(sequence)\0\(revisionID)\0\(time)\0\(domain)\0\(code)\0"
        return Array(head.utf8) + Array(keptMessage.utf8)
    }

    /// The message, cut between two of its characters.
    private var keptMessage: String {
        var scalars = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in message.unicodeScalars {
            byteCount += UTF8.width(scalar)
            if byteCount > StoreLimits.refusalMessageByteCount { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
