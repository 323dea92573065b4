import Dispatch
import DivanCBLite
import DivanDatabase
import DivanPlatform
import DivanRevisions
import Foundation
import Synchronization

/// Stores batches in the order in which they arrive, on its own thread.
final class ImportWriter: Sendable {
    private let store: Store
    /// The folder of the old database's blobs, with a trailing slash.
    private let blobs: String
    private let queue = DispatchQueue(label: "divan.import")
    /// Slots for waiting batches.
    private let room = DispatchSemaphore(value: 4)
    private let state = Mutex(State())

    private struct State {
        var report = DatabaseImport()
        var failure: (any Error)?
        /// Whether each blob looked for so far is there.
        var looked: [BlobDigest: Bool] = [:]
    }

    init(_ store: Store, blobs: String) {
        self.store = store
        self.blobs = blobs
    }

    /// Takes a batch; blocks while too many are waiting.
    ///
    /// - Throws: The error of an earlier batch; a `StoreError` when the import is stopped.
    func take(_ batch: ImportBatch) throws {
        do throws(StoreError) {
            try LongWork.check(at: "")
        } catch {
            queue.sync {}
            throw error
        }
        guard !batch.documents.isEmpty else { return }
        room.wait()
        if let failure = state.withLock({ $0.failure }) {
            room.signal()
            throw failure
        }
        queue.async {
            defer { self.room.signal() }
            do {
                try self.store(batch)
            } catch {
                self.state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// Waits until everything is stored.
    ///
    /// - Throws: The error of a batch.
    func settle() throws {
        queue.sync {}
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Waits until everything is stored, and reports it.
    ///
    /// - Throws: The error of a batch.
    func settle(into report: inout DatabaseImport) throws {
        try settle()
        let stored = state.withLock { $0.report }
        report.documentCount = stored.documentCount
        report.tombstoneCount = stored.tombstoneCount
        report.conflictCount = stored.conflictCount
        report.blobCount = stored.blobCount
        report.missingBlobs = stored.missingBlobs.sorted()
        let room = CBLiteLimits.toldDamageCount - report.damages.count
        report.damages += stored.damages.prefix(max(0, room))
        report.damageCount += stored.damageCount
        report.lostCount += stored.lostCount
    }

    private func store(_ batch: ImportBatch) throws {
        var report = state.withLock { $0.report }
        for document in batch.documents where document.namesBlobs {
            try carryBlobs(of: document, &report)
        }
        try store.write { writer in
            for document in batch.documents {
                let isNew: Bool
                do {
                    isNew = try writer.importDocument(
                        document.documentID,
                        sequence: document.sequence,
                        history: document.history,
                        expiration: document.expiration,
                        in: batch.path
                    )
                } catch let error as StoreError where error.concernsOneDocument {
                    let name = document.documentID.text
                    report.note(error.explanation, of: name, in: batch.path, isLost: true)
                    continue
                }
                if isNew { report.documentCount += 1 }
                if document.current?.isTombstone ?? false { report.tombstoneCount += 1 }
                if document.history.isConflicted { report.conflictCount += 1 }
            }
        }
        let done = report
        state.withLock { $0.report = done }
    }

    // MARK: Blobs

    /// Copies each content that a kept body names, once.
    private func carryBlobs(
        of document: ForeignDocument,
        _ report: inout DatabaseImport
    ) throws {
        for revision in document.history.revisionsWithBody {
            guard let body = revision.body else { continue }
            let digests = (try? BlobReferences.digests(in: body)) ?? []
            for digest in digests where state.withLock({ $0.looked[digest] }) == nil {
                let isThere = try carry(digest)
                state.withLock { $0.looked[digest] = isThere }
                if isThere {
                    report.blobCount += 1
                } else {
                    report.missingBlobs.append("\(digest)")
                }
            }
        }
    }

    /// Returns false if the file is missing, cannot be read, or has the wrong content.
    private func carry(_ digest: BlobDigest) throws -> Bool {
        // Do not block on anything but a plain file, and follow no link: it may lead anywhere.
        let path = blobs + digest.fileName
        guard
            let file = try? FileDescriptor.open(
                path,
                [.readOnly, .nonBlocking, .noFollow, .closeOnExec]
            )
        else { return false }
        defer { file.close() }
        guard let status = try? file.status(), status.kind == .regular else { return false }
        let writer = try store.blobs.writer()
        do throws(StoreError) {
            while let piece = try? file.read(upTo: StoreLimits.blobPieceByteCount) {
                guard !piece.isEmpty else {
                    _ = try writer.finish(expected: digest)
                    return true
                }
                try writer.append(piece)
            }
            writer.cancel()
            return false
        } catch {
            writer.cancel()
            guard case .blobMismatch = error.code else { throw error }
            return false
        }
    }
}
