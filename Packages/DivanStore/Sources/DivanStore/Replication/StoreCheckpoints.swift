public import DivanRevisions
internal import Synchronization

/// A checkpoint stored for a peer.
public struct PeerCheckpoint: Equatable, Sendable {
    /// The body as received; it is not interpreted.
    public var body: [UInt8]
    /// The revision, `<n>-cc`, where n starts at 1.
    public var revision: String
}

// MARK: Checkpoints and remotes

extension Store {
    /// The number of a remote in this database, assigned when it is first used.
    ///
    /// `url` identifies the remote; equal texts are the same remote.
    public func remoteID(for url: String) throws -> RemoteID {
        if let known = try read({ try $0.remoteID(for: url) }) { return known }
        return try write { writer in
            // Another thread may have been faster.
            if let known = try writer.remoteID(for: url) { return known }
            let last = try writer.remotes().last?.id.rawValue ?? 0
            guard last < UInt32.max else {
                throw StoreError(.corrupt("the table of remotes is full"), at: directory ?? "")
            }
            try writer.setValue(Array(String(last + 1).utf8), for: url, in: .remotes)
            return RemoteID(rawValue: last + 1)
        }
    }

    /// The local checkpoint with this ID.
    ///
    /// Source: `checkpoints.md` §1.
    public func localCheckpoint(_ id: String) throws -> [UInt8]? {
        try read { try $0.value(id, in: .localCheckpoints) }
    }

    /// Saves a local checkpoint of a collection, which is deleted with the collection.
    ///
    /// A checkpoint without a collection is deleted with any collection.
    ///
    /// - Parameters:
    ///   - id: Its name.
    ///   - collection: The collection that it is for.
    ///   - number: The number of the collection, which distinguishes it from earlier collections of the same
    ///     name; `nil` means any.
    ///   - body: The content, which is not interpreted.
    ///   - coversMarks: Whether the peer confirmed the checkpoint after everything that it is known to have.
    /// - Throws: `StoreError.Code.noSuchCollection` if the collection was deleted, even if it was
    ///   recreated.
    public func setLocalCheckpoint(
        _ id: String,
        of collection: CollectionPath? = nil,
        numbered number: CollectionID? = nil,
        _ body: [UInt8],
        coversMarks: Bool = true
    ) throws {
        try write { writer in
            try writer.require(collection, numbered: number)
            try writer.setValue(body, for: id, in: .localCheckpoints)
            try writer.note(collection, of: .local, id)
            if coversMarks { try writer.setHasMarks(false, behind: id) }
        }
    }

    /// Whether the peer is known to have received something after the checkpoint's last save.
    ///
    /// A peer may lose its latest commits in a power failure or when a backup is restored: both checkpoints then
    /// still match, but what was recorded since is not reliable.
    public func hasMarks(behind checkpoint: String) throws -> Bool {
        try read { try $0.value(marksKey(checkpoint), in: .checkpointCollections) != nil }
    }

    /// Deletes a local checkpoint, so that the next replication compares everything again.
    public func removeLocalCheckpoint(_ id: String) throws {
        try write { writer in
            try writer.removeCheckpoint(.local, id)
            // The copy of another direction does not confirm what this one did.
            try writer.noteMarks(behind: id)
        }
    }

    /// Deletes a peer's checkpoint, so that the peer compares everything again.
    public func removePeerCheckpoint(_ id: String) throws {
        try write { writer in
            try writer.removeCheckpoint(.peer, id)
            writer.noteUnknownCheckpoints()
        }
    }

    /// The checkpoint of a peer with this ID.
    public func peerCheckpoint(_ id: String) throws -> PeerCheckpoint? {
        try read { try $0.peerCheckpoint(id) }
    }

    /// Saves a peer's checkpoint.
    ///
    /// If an owner exceeds the limit in `StoreLimits`, its oldest checkpoints are deleted.
    ///
    /// - Parameters:
    ///   - id: Its name.
    ///   - collection: The collection of the checkpoint, which is deleted with it; without a collection, it is
    ///     deleted with any collection.
    ///   - number: The number of the collection, which distinguishes it from earlier collections of the same
    ///     name; `nil` means any.
    ///   - body: The content, which is not interpreted.
    ///   - expectedRevision: The expected current revision; empty and `nil` mean none.
    ///   - owner: The owner whose limit it counts towards: a user, or an address.
    ///   - time: When it was saved, in seconds; determines which checkpoint of an owner is the oldest.
    /// - Returns: The new revision.
    /// - Throws: `StoreError.Code.checkpointMismatch` if another revision is stored, `noSuchCollection` if the
    ///   collection was deleted, even if it was recreated.
    ///
    /// Source: `checkpoints.md` §7.
    @discardableResult
    public func setPeerCheckpoint(
        _ id: String,
        of collection: CollectionPath? = nil,
        numbered number: CollectionID? = nil,
        _ body: [UInt8],
        expectedRevision: String?,
        owner: String = "",
        at time: Int64 = 0
    ) throws -> String {
        try write { writer in
            try writer.require(collection, numbered: number)
            let revision = try setPeerCheckpoint(id, body, expectedRevision, owner, time, writer)
            try writer.note(collection, of: .peer, id)
            return revision
        }
    }

    private func setPeerCheckpoint(
        _ id: String,
        _ body: [UInt8],
        _ expectedRevision: String?,
        _ owner: String,
        _ time: Int64,
        _ writer: StoreWriter
    ) throws -> String {
        let stored = try writer.peerCheckpoint(id)
        guard (stored?.revision ?? "") == (expectedRevision ?? "") else {
            throw StoreError(.checkpointMismatch(current: stored?.revision), at: directory ?? "")
        }
        // Moved out while it is modified, or every change would copy it.
        var ledger =
            try checkpointOwners.withLock { $0.take() }
            ?? CheckpointQuota(try writer.current().values(in: .checkpointOwners))
        let size = id.utf8.count + body.count
        ledger.note(id, of: owner, byteCount: size)
        for excess in ledger.takeExcess(of: owner) {
            try writer.removeCheckpoint(.peer, excess)
        }
        let entry = CheckpointQuota.encoded(owner: owner, byteCount: size, time: time)
        try writer.setValue(entry, for: id, in: .checkpointOwners)
        let last = stored.flatMap { UInt64($0.revision.prefix { $0 != "-" }) } ?? 0
        let revision = "\(last &+ 1)-cc"
        try writer.setValue(Array(revision.utf8) + [0] + body, for: id, in: .peerCheckpoints)
        checkpointOwners.withLock { $0 = ledger }
        return revision
    }
}

/// The two kinds of checkpoints in a database.
private enum CheckpointKind: String, CaseIterable {
    case local
    case peer

    var space: ValueSpace {
        switch self {
        case .local: .localCheckpoints
        case .peer: .peerCheckpoints
        }
    }

    /// The key under which the collection of a checkpoint is stored.
    func key(_ id: String) -> String { "\(rawValue) \(id)" }
}

/// The key under which a checkpoint has marks since its last save.
private func marksKey(_ id: String) -> String { "marks \(id)" }

extension StoreWriter {
    /// Records that the peer has received something after the checkpoint's last save.
    public func noteMarks(behind checkpoint: String) throws(StoreError) {
        try setHasMarks(true, behind: checkpoint)
    }

    fileprivate func setHasMarks(_ hasMarks: Bool, behind id: String) throws(StoreError) {
        let had = try value(marksKey(id), in: .checkpointCollections) != nil
        guard had != hasMarks else { return }
        try setValue(hasMarks ? [1] : nil, for: marksKey(id), in: .checkpointCollections)
    }

    /// Verifies that a collection is the intended one, and not another of the same name.
    func require(
        _ collection: CollectionPath?,
        numbered number: CollectionID?
    ) throws(StoreError) {
        guard let collection, let number, try collectionNumber(collection) != number else { return }
        throw StoreError(.noSuchCollection(collection), at: path)
    }

    fileprivate func note(
        _ collection: CollectionPath?,
        of kind: CheckpointKind,
        _ id: String
    ) throws(StoreError) {
        let name = collection.map { Array($0.description.utf8) }
        guard try value(kind.key(id), in: .checkpointCollections) != name else { return }
        try setValue(name, for: kind.key(id), in: .checkpointCollections)
    }

    fileprivate func removeCheckpoint(_ kind: CheckpointKind, _ id: String) throws(StoreError) {
        try setValue(nil, for: id, in: kind.space)
        switch kind {
        case .local: try setHasMarks(false, behind: id)
        case .peer: try setValue(nil, for: id, in: .checkpointOwners)
        }
        try note(nil, of: kind, id)
    }

    /// Removes the checkpoints of a collection that is being deleted: another one of its name contains other
    /// documents, and neither side may mistake it for the one that it knows.
    func forgetCheckpoints(of path: CollectionPath) throws(StoreError) {
        let name = Array(path.description.utf8)
        for kind in CheckpointKind.allCases {
            for (id, _) in try current().values(in: kind.space)
            where try value(kind.key(id), in: .checkpointCollections) ?? name == name {
                try removeCheckpoint(kind, id)
            }
        }
    }
}

extension StoreReader {
    /// The local checkpoints, ascending by ID.
    public func localCheckpoints() throws(StoreError) -> [(id: String, body: [UInt8])] {
        try current().values(in: .localCheckpoints).map { (id: $0.key, body: $0.value) }
    }

    /// The checkpoints stored for peers, ascending by ID.
    public func peerCheckpoints() throws(StoreError) -> [(id: String, PeerCheckpoint)] {
        var checkpoints: [(id: String, PeerCheckpoint)] = []
        for (id, value) in try current().values(in: .peerCheckpoints) {
            checkpoints.append((id, try peerCheckpoint(id, value)))
        }
        return checkpoints
    }

    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]? {
        try current().value(key, in: space)
    }

    func remoteID(for url: String) throws(StoreError) -> RemoteID? {
        guard let text = try value(url, in: .remotes) else { return nil }
        return try remoteID(text)
    }

    /// The number of a remote as it is stored.
    @_spi(Database) public func remoteID(_ text: [UInt8]) throws(StoreError) -> RemoteID {
        RemoteID(rawValue: try remoteNumber(text))
    }

    private func remoteNumber(_ text: [UInt8]) throws(StoreError) -> UInt32 {
        guard let number = UInt32(String(decoding: text, as: UTF8.self)), number > 0 else {
            throw StoreError(.corrupt("invalid remote number"), at: path)
        }
        return number
    }

    func peerCheckpoint(_ id: String) throws(StoreError) -> PeerCheckpoint? {
        guard let value = try value(id, in: .peerCheckpoints) else { return nil }
        return try peerCheckpoint(id, value)
    }

    /// The revision, a zero byte, and the body are stored in one value.
    private func peerCheckpoint(
        _ id: String,
        _ value: [UInt8]
    ) throws(StoreError) -> PeerCheckpoint {
        guard let end = value.firstIndex(of: 0) else {
            throw StoreError(.corrupt("invalid checkpoint \(id)"), at: path)
        }
        return PeerCheckpoint(
            body: Array(value[(end + 1)...]),
            revision: String(decoding: value[..<end], as: UTF8.self)
        )
    }
}
