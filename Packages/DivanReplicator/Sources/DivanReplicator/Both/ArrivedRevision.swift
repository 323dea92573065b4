import DivanRevisions
import DivanStore

/// The part of a received revision that is stored: a value, which may be passed to another thread.
struct ArrivedRevision: Sendable {
    let collection: Int
    /// Blobs whose content was left at the peer.
    let absentBlobs: [BlobDigest]
    let received: RemoteRevision

    /// Whether it has no ancestors that could be stored here.
    fileprivate var isFirst: Bool { received.history.isEmpty && absentBlobs.isEmpty }
}

extension StoreWriter {
    /// Stores received revisions; an error in one of them does not end the transaction.
    func insert(
        _ revisions: [ArrivedRevision],
        in paths: [CollectionPath]
    ) throws -> [RevisionResult] {
        var results: [RevisionResult] = []
        results.reserveCapacity(revisions.count)
        for start in stride(from: 0, to: revisions.count, by: StorageLimits.addedTogetherCount) {
            let some = revisions[start...].prefix(StorageLimits.addedTogetherCount)
            if let first = try insertFirst(some, in: paths) {
                for place in 0..<UInt64(some.count) {
                    let sequence = first + place
                    results.append(
                        .inserted(sequence: sequence, isConflict: false, isBranched: false)
                    )
                }
                continue
            }
            for revision in some {
                results.append(try insert(revision, in: paths[revision.collection]))
            }
        }
        return results
    }

    /// Stores new documents in one step if there are enough; `nil` if there are fewer, or anything else.
    private func insertFirst(
        _ revisions: ArraySlice<ArrivedRevision>,
        in paths: [CollectionPath]
    ) throws -> UInt64? {
        guard revisions.count > 3, let first = revisions.first,
            revisions.allSatisfy({ $0.collection == first.collection && $0.isFirst })
        else { return nil }
        return try insertFirst(revisions.map(\.received), in: paths[first.collection])
    }

    private func insert(
        _ revision: ArrivedRevision,
        in path: CollectionPath
    ) throws -> RevisionResult {
        let documentID = revision.received.documentID
        do throws(StoreError) {
            let outcome = try insert(revision.received, in: path)
            for digest in revision.absentBlobs {
                try noteAbsent(digest, of: documentID, in: path)
            }
            return switch outcome {
            case .inserted(let sequence, let isConflict, let isBranched):
                .inserted(sequence: sequence, isConflict: isConflict, isBranched: isBranched)
            case .alreadyThere: .alreadyThere(lastSequence: try lastSequence(in: path))
            case .overtaken:
                .overtaken(
                    lastSequence: try lastSequence(in: path),
                    winner: try change(of: documentID, in: path)
                )
            case .givenUp(let sequence, let current):
                .givenUp(sequence: sequence, current: current)
            }
        } catch {
            guard error.concernsOneDocument else { throw error }
            return .failed(SyncError(storage: error), isLost: false)
        }
    }
}
