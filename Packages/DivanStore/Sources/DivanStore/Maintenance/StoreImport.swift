internal import DivanCrypto
public import DivanRevisions

/// What a new database takes over from the one that it replaces.
public struct ForeignIdentity: Sendable {
    /// 16 bytes; the source of the versions that the old one wrote.
    public var publicUUID: [UInt8]
    /// 16 bytes that are part of the names of checkpoints.
    public var privateUUID: [UInt8]
    /// That of the database from which the old one was copied.
    public var previousPrivateUUID: [UInt8]?
    /// How revisions are named.
    public var scheme: RevisionScheme

    /// Creates an identity from its parts; UUIDs that are not 16 bytes long are replaced by new ones.
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

    /// The identity of a copy: new, with a record of where it comes from.
    public func copied() -> ForeignIdentity {
        ForeignIdentity(
            publicUUID: [],
            privateUUID: [],
            previousPrivateUUID: privateUUID,
            scheme: scheme
        )
    }

    var stored: StoreIdentity {
        var identity = StoreIdentity(random: SystemRandomSource())
        if publicUUID.count == 16 { identity.publicUUID = publicUUID }
        if privateUUID.count == 16 { identity.privateUUID = privateUUID }
        identity.previousPrivateUUID = previousPrivateUUID
        identity.scheme = scheme
        return identity
    }
}

extension Store {
    /// Creates an empty database that replaces one of another kind, and opens it.
    ///
    /// - Throws: `alreadyExists` if there is something at `directory`, and what `open` throws.
    public static func create(
        directory: String,
        replacing identity: ForeignIdentity,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> Store {
        do {
            try makeBundle(at: directory, as: identity.stored, sealing: options.sealing)
        } catch {
            throw StoreError(wrapping: error, at: directory)
        }
        return try open(directory: directory, options: options)
    }
}

// MARK: - What an import stores

extension StoreWriter {
    /// Stores a document of another database with its sequence, revisions and expiration.
    ///
    /// Documents of a collection must arrive by ascending sequence. Nothing is pruned or resolved.
    ///
    /// - Returns: Whether the collection had no document of this name before; otherwise it is replaced.
    /// - Throws: `damagedDocument` for an empty history or a sequence that is already in use,
    ///   `bodyTooLarge`, and what the medium reports.
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
                .damagedDocument(documentID: documentID, "sequence \(sequence)"),
                at: self.path
            )
        }
        try check(row.body)
        noteExpiration(expiration)
        if try add(row, in: collection) { return true }
        let old = try self.row(documentID, in: collection.id)
        try put(row, in: collection, over: old)
        return false
    }

    /// Raises the last sequence of a collection, so that those of purged documents are not reused.
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

    /// Stores a remote under the number by which revisions refer to it.
    public func importRemote(_ name: String, as id: RemoteID) throws(StoreError) {
        try setValue(Array(String(id.rawValue).utf8), for: name, in: .remotes)
    }

    /// Stores one of the database's own checkpoints.
    public func importCheckpoint(_ id: String, _ body: [UInt8]) throws(StoreError) {
        try setValue(body, for: id, in: .localCheckpoints)
    }

    /// Stores a checkpoint of a peer.
    public func importPeerCheckpoint(
        _ id: String,
        revision: String,
        _ body: [UInt8]
    ) throws(StoreError) {
        let size = id.utf8.count + body.count
        let entry = CheckpointLedger.encoded(owner: "", byteCount: size, time: 0)
        try setValue(entry, for: id, in: .checkpointOwners)
        noteUnknownCheckpoints()
        let value = Array(revision.utf8) + [0] + body
        try setValue(value, for: id, in: .peerCheckpoints)
    }
}
