internal import DivanCrypto
public import DivanRevisions

/// The identity that a new database takes over from the database that it replaces.
public struct ForeignIdentity: Sendable {
    /// 16 bytes; the source of the versions written by the old database.
    public var publicUUID: [UInt8]
    /// 16 bytes that are part of the names of checkpoints.
    public var privateUUID: [UInt8]
    /// The private UUID of the database that the old database was copied from.
    public var previousPrivateUUID: [UInt8]?
    /// The revision scheme.
    public var scheme: RevisionScheme

    /// Creates an identity from its parts; UUIDs that are not 16 bytes long are replaced with new UUIDs.
    public init(
        publicUUID: [UInt8],
        privateUUID: [UInt8],
        previousPrivateUUID: [UInt8]?,
        scheme: RevisionScheme
    ) {
        self.publicUUID = publicUUID
        self.privateUUID = privateUUID
        self.previousPrivateUUID = previousPrivateUUID
        self.scheme = scheme
    }

    /// The identity of a copy: new UUIDs, with a record of the original.
    public func copied() -> ForeignIdentity {
        ForeignIdentity(
            publicUUID: [],
            privateUUID: [],
            previousPrivateUUID: privateUUID,
            scheme: scheme
        )
    }

    /// The same identity as the store keeps it.
    @_spi(Database) public var stored: StoreIdentity {
        var identity = StoreIdentity(random: SystemRandomSource())
        if publicUUID.count == 16 { identity.publicUUID = publicUUID }
        if privateUUID.count == 16 { identity.privateUUID = privateUUID }
        identity.previousPrivateUUID = previousPrivateUUID
        identity.scheme = scheme
        return identity
    }
}

// MARK: - What an import stores

extension StoreWriter {
    /// Imports a document with its sequence, revisions and expiration.
    ///
    /// Documents of a collection must arrive by ascending sequence. Nothing is pruned or resolved.
    ///
    /// - Returns: Whether the document is new; otherwise it replaces the existing document.
    /// - Throws: `damagedDocument` for an empty history or a sequence that is already in use, `bodyTooLarge`, and
    ///   I/O errors.
    @discardableResult
    public func importDocument(
        _ documentID: DocumentID,
        sequence: UInt64,
        history: any RevisionHistory,
        expiration: Int64?,
        in path: CollectionPath
    ) throws(StoreError) -> Bool {
        let collection = try self.collection(path)
        let row = history.row(
            of: documentID,
            sequence: sequence,
            expiration: expiration,
            archive: archive
        )
        guard let row, sequence > (try state(of: collection).lastSequence), sequence < 1 << 62
        else {
            throw StoreError(
                .damagedDocument(documentID: documentID, "invalid sequence \(sequence)"),
                at: self.path
            )
        }
        try check(row.body)
        noteExpiration(expiration)
        if try add(row, in: collection) { return true }
        var old = try replacedRow(documentID, by: row.body, in: collection.id)
        releaseBody(of: &old)
        try put(row, in: collection, over: old)
        return false
    }

    /// Raises the last sequence of a collection, so that sequences of purged documents are not reused.
    public func importCounter(
        _ sequence: UInt64,
        in path: CollectionPath
    ) throws(StoreError) {
        let collection = try self.collection(path)
        var state = try state(of: collection)
        guard sequence > state.lastSequence, sequence < 1 << 62 else { return }
        state.lastSequence = sequence
        setState(state, of: collection)
        try changing().setState(state)
        noteTreeChange()
    }

    /// Imports a remote with the number that revisions use for it.
    public func importRemote(_ name: String, as id: RemoteID) throws(StoreError) {
        try setValue(Array(String(id.rawValue).utf8), for: name, in: .remotes)
    }

    /// Imports a local checkpoint.
    public func importCheckpoint(_ id: String, _ body: [UInt8]) throws(StoreError) {
        try setValue(body, for: id, in: .localCheckpoints)
    }

    /// Imports a checkpoint stored for a peer.
    public func importPeerCheckpoint(
        _ id: String,
        revision: String,
        _ body: [UInt8]
    ) throws(StoreError) {
        let size = id.utf8.count + body.count
        let entry = CheckpointQuota.encoded(owner: "", byteCount: size, time: 0)
        try setValue(entry, for: id, in: .checkpointOwners)
        noteUnknownCheckpoints()
        let value = Array(revision.utf8) + [0] + body
        try setValue(value, for: id, in: .peerCheckpoints)
    }
}
