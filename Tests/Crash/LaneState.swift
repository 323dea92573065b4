import DivanDatabase
import DivanJSON
import DivanRevisions

/// The actual or expected state of a lane's documents, conflicts, collection and checkpoint.
struct LaneState: Equatable {
    /// Bodies of live documents by `collection/document`.
    var bodies: [String: String] = [:]
    var conflicts: Set<String> = []
    var indexes: Set<ExactText> = []
    var hasCollection = false
    /// The codec of new bodies, for the lane that changes it.
    var codec: UInt8?
    /// The step that saved the checkpoint.
    var checkpoint: UInt64?

    /// Does in the model what the step does in a store.
    mutating func apply(_ operation: Operation) {
        let lane = operation.lane
        switch operation.kind {
        case .save(let id): bodies[Self.place(id)] = operation.body
        case .batch:
            for id in operation.batchIDs { bodies[Self.place(id)] = operation.body }
        case .blob(let id, let content):
            let digest = BlobDigest(hashing: content.span)
            bodies[Self.place(id)] = Operation.blobBody(digest, operation.step)
        case .conflict:
            bodies[Self.place(operation.conflictID)] = operation.body
            conflicts.insert(operation.conflictID)
        case .resolve: resolve(operation)
        case .checkpoint: checkpoint = operation.step
        case .delete(let id), .purge(let id): bodies[Self.place(id)] = nil
        case .makeCollection:
            hasCollection = true
            bodies["\(lane.collectionName)/\(operation.collectionID)"] = operation.body
        case .dropCollection:
            hasCollection = false
            bodies["\(lane.collectionName)/\(operation.collectionID)"] = nil
        case .makeIndex(let index): indexes.insert(lane.name(of: index))
        case .dropIndex(let index): indexes.remove(lane.name(of: index))
        case .compact, .train: break
        case .pack(let codec, _): self.codec = codec
        }
    }

    private mutating func resolve(_ operation: Operation) {
        let prefix = Self.place(operation.lane.conflictPrefix)
        for place in bodies.keys where place.hasPrefix(prefix) {
            let isOpen = conflicts.contains { Self.place($0) == place }
            bodies[place] = isOpen ? operation.body : nil
        }
        conflicts = []
    }

    static func place(_ documentID: String) -> String { "_default/\(documentID)" }
}

extension LaneState {
    /// Reads what a store contains of a lane.
    ///
    /// - Throws: `CrashFailure` if a checkpoint is ahead of the data, or a blob is missing.
    init(of lane: Lane, _ store: Store, blobCount: inout Int) throws {
        let path = try lane.collection()
        let (documents, others, lastSequence) = try store.read { reader in
            hasCollection = try reader.hasCollection(path)
            codec = lane.keepsPacking ? try reader.bodyPacking(of: .default) : nil
            indexes = Set(
                try reader.indexes(in: .default).map(\.name).filter {
                    $0.text.hasPrefix(lane.prefix)
                }
            )
            conflicts = Set(
                try reader.conflicts(in: .default).map(\.text).filter { $0.hasPrefix(lane.prefix) }
            )
            return (
                try reader.documents(in: .default, after: 0, limit: 100_000),
                hasCollection ? try reader.documents(in: path, after: 0, limit: 100) : [],
                try reader.lastSequence(in: .default)
            )
        }
        for document in documents
        where !document.isTombstone && document.documentID.text.hasPrefix(lane.prefix) {
            bodies[Self.place(document.documentID.text)] = String(
                decoding: document.body,
                as: UTF8.self
            )
            guard document.flags.contains(.hasBlobs) else { continue }
            for digest in try BlobReferences.digests(in: document.body) {
                blobCount += 1
                try Self.requireBlob(digest, of: document.documentID, store)
            }
        }
        for document in others where !document.isTombstone {
            bodies["\(lane.collectionName)/\(document.documentID)"] =
                String(decoding: document.body, as: UTF8.self)
        }
        try readCheckpoint(lane, store, lastSequence)
    }

    private mutating func readCheckpoint(
        _ lane: Lane,
        _ store: Store,
        _ lastSequence: UInt64
    ) throws {
        guard let value = try store.localCheckpoint(lane.checkpoint) else { return }
        let numbers = String(decoding: value, as: UTF8.self).split(separator: " ")
            .compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[1] <= lastSequence else {
            throw CrashFailure("checkpoint \(numbers) is ahead of sequence \(lastSequence)")
        }
        checkpoint = numbers[0]
    }

    private static func requireBlob(
        _ digest: BlobDigest,
        of documentID: DocumentID,
        _ store: Store
    ) throws {
        let content = try store.blobs.read(digest)
        guard BlobDigest(hashing: content.span) == digest else {
            throw CrashFailure("\(documentID): the blob is damaged")
        }
    }

    /// The first difference, for people.
    func difference(from other: LaneState) -> String {
        let places = Set(bodies.keys).union(other.bodies.keys).sorted()
        if let place = places.first(where: { bodies[$0] != other.bodies[$0] }) {
            let (found, owed) = (bodies[place]?.suffix(20), other.bodies[place]?.suffix(20))
            return "\(place) is …\(found ?? "none"), owed …\(owed ?? "none")"
        }
        if conflicts != other.conflicts { return "conflicts \(conflicts), owed \(other.conflicts)" }
        if indexes != other.indexes { return "indexes \(indexes), owed \(other.indexes)" }
        if codec != other.codec {
            return "codec of bodies \(codec ?? 0), owed \(other.codec ?? 0)"
        }
        if hasCollection != other.hasCollection { return "collection there: \(hasCollection)" }
        return "checkpoint \(checkpoint ?? 0), owed \(other.checkpoint ?? 0)"
    }
}
