internal import DivanLog
import DivanPlatform
internal import Synchronization

/// Blobs as files of one directory, `Attachments/` of a bundle.
///
/// A blob is written to `incoming_…`, renamed to `pending_<name>` when it is complete, and to its final
/// name when it has reached the disk. (One fetched on demand is written to `partial_<name>`, which is
/// kept for the next attempt.) So a final name guarantees a whole blob, even after a power cut. The
/// last step is taken for all pending blobs together, before a transaction commits that refers to
/// blobs. Names are made from decoded digests only, and links are not followed.
///
/// Source: `blobs.md` §2.
final class BlobDirectory: BlobStorage {
    private let disk: BlobDisk
    private let leftovers: BlobLeftovers
    private let isReadOnly: Bool
    private let sealing: Mutex<Sealing>
    private let serial = Atomic<UInt64>(0)
    // Complete blobs that may not have reached the disk. Locked while they are settled, so that
    // none is replaced between its sync and its rename.
    private let pending = Mutex<Set<BlobDigest>>([])
    private let lost = Mutex<[BlobDigest: StoreError]>([:])

    /// The key of the blobs, and how many are being written with it.
    private struct Sealing {
        var key: (any BlobSealing)?
        var openSinkCount = 0
        var takesSinks = true
    }

    /// Opens the directory, creates it if it is missing, and cleans up what a crash left.
    init(
        _ path: String,
        isReadOnly: Bool,
        sealing: (any BlobSealing)? = nil,
        calls: BlobCalls = .system
    ) throws(StoreError) {
        disk = try BlobDisk(path, isReadOnly: isReadOnly, calls: calls)
        leftovers = BlobLeftovers(on: disk)
        self.sealing = Mutex(Sealing(key: sealing))
        self.isReadOnly = isReadOnly
        if !isReadOnly { try recover() }
    }

    private var path: String { disk.path }
    private var calls: BlobCalls { disk.calls }
    var directory: String? { path }

    /// Deletes unfinished blobs and takes over pending ones that are whole: documents may refer to
    /// them, since a crash can occur between a commit and the renaming.
    ///
    /// One that cannot be read now keeps its name, as damage of that blob and not of the database.
    private func recover() throws(StoreError) {
        var found: Set<BlobDigest> = []
        for name in try StoreFiles.names(in: path) {
            if name.hasPrefix(BlobDisk.unfinishedPrefix) {
                try? FileSystem.removeFile(path + "/" + name)
            }
            guard name.hasPrefix(BlobDisk.pendingPrefix),
                let digest = BlobDigest(
                    fileName: String(name.dropFirst(BlobDisk.pendingPrefix.count))
                )
            else { continue }
            do throws(StoreError) {
                if try isWhole(digest) {
                    found.insert(digest)
                } else {
                    try? FileSystem.removeFile(disk.pendingFile(digest))
                }
            } catch {
                StoreLog.database.warning("Cannot read a blob left by a crash: \(error)")
            }
        }
        leftovers.add(found)
        do throws(StoreError) {
            try leftovers.takeOver { _ in true }
        } catch {
            StoreLog.database.warning("Cannot recover some blobs left by a crash: \(error)")
        }
    }

    private func isWhole(_ digest: BlobDigest) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let reader = BlobReader(try source(digest, in: disk.pendingFile(digest)))
            return try reader.digest() == digest
        } catch  where error.isCorrupt {
            return false
        }
    }

    /// Whether all that exists of a blob is what a power cut left: an incomplete file without its final name.
    func isUnfinished(_ digest: BlobDigest) throws(StoreError) -> Bool {
        guard !StoreFiles.exists(disk.file(digest)), StoreFiles.isFile(disk.pendingFile(digest))
        else { return false }
        return try !isWhole(digest)
    }

    // MARK: Reading

    func byteCount(_ digest: BlobDigest) -> Int? {
        for file in [disk.file(digest), disk.pendingFile(digest), disk.file(digest)] {
            // Takes the key of that moment: later another key and another file may be there.
            let (status, key) = sealing.withLock {
                (try? FileStatus(of: file, followingLinks: false), $0.key)
            }
            guard let status, status.kind == .regular else { continue }
            let byteCount = status.byteCount
            // A file of another form exists, but is damaged; reading it shows that.
            return key.map { $0.contentByteCount(ofFile: byteCount) ?? byteCount } ?? byteCount
        }
        return nil
    }

    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
        for file in [disk.file(digest), disk.pendingFile(digest)] {
            do {
                return try source(digest, in: file)
            } catch  where error.code == .noSuchBlob(digest) {
                continue
            }
        }
        // It may have been renamed between the two attempts.
        return try source(digest, in: disk.file(digest))
    }

    private func source(
        _ digest: BlobDigest,
        in file: String
    ) throws(StoreError) -> any BlobSource {
        // Non-blocking, since opening a pipe put there by somebody would wait for ever. Takes the key of
        // that moment: later another key and another file may be there.
        let (descriptor, key): (FileDescriptor, (any BlobSealing)?)
        do {
            (descriptor, key) = try sealing.withLock { sealing throws(SystemError) in
                let flags: FileDescriptor.OpenFlags = [
                    .readOnly, .closeOnExec, .noFollow, .nonBlocking,
                ]
                return (try calls.open(file, flags), sealing.key)
            }
        } catch {
            if error.errno == .noSuchFileOrDirectory {
                throw StoreError(.noSuchBlob(digest), at: path)
            }
            throw .system(error.errno, at: file)
        }
        guard let status = try? descriptor.status(), status.kind == .regular else {
            descriptor.close()
            throw StoreError(.noSuchBlob(digest), at: path)
        }
        let size = status.byteCount
        let plain = BlobFileSource(descriptor, byteCount: size, path: file, calls: calls)
        guard let key else { return plain }
        return try SealedBlobSource(plain, digest, sealing: key, path: file)
    }

    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
        var digests: [BlobDigest] = []
        var unknownNames: [String] = []
        // A copy made by hand may lack the directory and still be read.
        guard StoreFiles.exists(path) else { return ([], []) }
        for name in try StoreFiles.names(in: path) {
            if name.hasPrefix(BlobDisk.partialPrefix) { continue }
            let isPending = name.hasPrefix(BlobDisk.pendingPrefix)
            let plain = isPending ? String(name.dropFirst(BlobDisk.pendingPrefix.count)) : name
            if let digest = BlobDigest(fileName: plain) {
                digests.append(digest)
            } else if !name.hasPrefix(BlobDisk.unfinishedPrefix) {
                unknownNames.append(name)
            }
        }
        return (digests, unknownNames)
    }

    // MARK: Writing

    func sink() throws(StoreError) -> any BlobSink {
        let key = try beginSink()
        let number = serial.add(1, ordering: .relaxed).newValue
        let file = disk.unfinishedFile("\(number)")
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                file,
                [.writeOnly, .create, .exclusive, .closeOnExec, .noFollow],
                permissions: 0o600
            )
        } catch {
            sinkDidEnd()
            throw .system(error.errno, at: file)
        }
        let plain = BlobFileSink(descriptor, path: file, directory: self, calls: calls)
        guard let key else { return plain }
        return try SealedBlobSink(plain, sealing: key, path: file)
    }

    /// Counts one more sink, which calls `sinkDidEnd()` when it ends.
    ///
    /// - Returns: The key that it writes with.
    private func beginSink() throws(StoreError) -> (any BlobSealing)? {
        guard !isReadOnly else { throw StoreError(.readOnly, at: path) }
        return try sealing.withLock { sealing throws(StoreError) in
            guard sealing.takesSinks else {
                throw StoreError(.busy(.thisProcess(ownerCount: 1)), at: path)
            }
            sealing.openSinkCount += 1
            return sealing.key
        }
    }

    /// A sink has ended; each calls this once.
    func sinkDidEnd() {
        sealing.withLock { $0.openSinkCount -= 1 }
    }

    /// Runs `body` while no blob is being written; starting to write one fails with `busy`.
    ///
    /// - Throws: `busy` if one is being written already, and what `body` throws.
    func whileResting(_ body: () throws -> Void) throws {
        try sealing.withLock { sealing throws(StoreError) in
            guard sealing.openSinkCount == 0, sealing.takesSinks else {
                throw StoreError(.busy(.thisProcess(ownerCount: 1)), at: path)
            }
            sealing.takesSinks = false
        }
        defer { sealing.withLock { $0.takesSinks = true } }
        try settle()
        try body()
    }

    /// Runs `exchange`, which replaces these blobs by blobs with another key; nobody reads one in
    /// the meantime.
    func exchange(
        for key: (any BlobSealing)?,
        _ exchange: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try sealing.withLock { sealing throws(StoreError) in
            try exchange()
            sealing.key = key
        }
    }

    func partialSink(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)? {
        // A partial blob is read before it is whole, which the sealed form does not allow: with a
        // key each attempt starts over.
        guard try beginSink() == nil else {
            sinkDidEnd()
            return nil
        }
        do throws(StoreError) {
            if let part = try openPart(digest) { return part }
        } catch {
            sinkDidEnd()
            throw error
        }
        sinkDidEnd()
        return nil
    }

    private func openPart(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)? {
        let file = disk.partialFile(digest)
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                file,
                [.writeOnly, .create, .append, .closeOnExec, .noFollow, .nonBlocking],
                permissions: 0o600
            )
        } catch {
            // One that a crash left complete is read-only: the next attempt starts over.
            guard error.errno == .permissionDenied else { throw .system(error.errno, at: file) }
            try StoreError.wrapping(FileSystem.removeFile(file), at: file)
            return nil
        }
        guard (try? descriptor.lock(waits: false)) != nil, let status = try? descriptor.status(),
            status.kind == .regular, status.linkCount == 1
        else {
            descriptor.close()
            return nil
        }
        do throws(StoreError) {
            let source = try source(digest, in: file)
            return (BlobFileSink(descriptor, path: file, directory: self, calls: calls), source)
        } catch {
            descriptor.close()
            throw error
        }
    }

    func removeParts(keeping used: Set<BlobDigest>) throws(StoreError) {
        for name in try StoreFiles.names(in: path) where name.hasPrefix(BlobDisk.partialPrefix) {
            let digest = BlobDigest(fileName: String(name.dropFirst(BlobDisk.partialPrefix.count)))
            if let digest, used.contains(digest) { continue }
            let file = path + "/" + name
            // Left to its writer, which at the end would take another file of this name for its own.
            do {
                let descriptor = try FileDescriptor.open(
                    file,
                    [.readOnly, .closeOnExec, .noFollow, .nonBlocking]
                )
                defer { descriptor.close() }
                try descriptor.lock(waits: false)
                try FileSystem.removeFile(file)
            } catch {
                // A link or a socket belongs to nobody; a file that cannot be opened now may belong to somebody.
                let isNobodys =
                    error.errno == .tooManySymbolicLinkLevels
                    || error.errno == .noSuchAddressOrDevice
                if isNobodys { try? FileSystem.removeFile(file) }
            }
        }
    }

    /// Takes over a complete blob from a sink; `false` if it is already here.
    func place(_ file: String, as digest: BlobDigest) throws(StoreError) -> Bool {
        try pending.withLock { pending throws(StoreError) in
            guard !pending.contains(digest), !StoreFiles.isFile(disk.file(digest))
            else { return false }
            let pendingFile = disk.pendingFile(digest)
            try StoreError.wrapping(calls.rename(file, pendingFile), at: pendingFile)
            pending.insert(digest)
            if pending.count >= StoreLimits.pendingBlobCount { try settle(&pending) }
            return true
        }
    }

    func rewriteUnsynced(_ held: (BlobDigest) -> Bool) throws(StoreError) {
        try leftovers.takeOver(where: held)
    }

    func settle() throws(StoreError) {
        try pending.withLock { pending throws(StoreError) in try settle(&pending) }
    }

    func takeLost() -> [BlobDigest: StoreError] {
        lost.withLock { lost in
            defer { lost = [:] }
            return lost
        }
    }

    func remove(_ digest: BlobDigest) throws(StoreError) {
        try pending.withLock { pending throws(StoreError) in
            pending.remove(digest)
            // One that could not be taken over is not in that set, but pending all the same.
            for file in [disk.pendingFile(digest), disk.file(digest)] {
                try StoreFiles.removeFile(file)
            }
        }
    }

    private func settle(_ pending: inout Set<BlobDigest>) throws(StoreError) {
        guard !pending.isEmpty else { return }
        if let failure = try disk.sync(pending.map(disk.pendingFile)) {
            // A later sync would succeed without the pages that this one has lost.
            for digest in pending {
                try? FileSystem.removeFile(disk.pendingFile(digest))
                lost.withLock { $0[digest] = failure }
            }
            pending = []
            throw failure
        }
        try publish(&pending)
    }

    /// Renames blobs to their final names; the disk has each under one of its names, whatever happens here.
    private func publish(_ pending: inout Set<BlobDigest>) throws(StoreError) {
        for digest in pending {
            do {
                try calls.rename(disk.pendingFile(digest), disk.file(digest))
            } catch  where error.errno == .noSuchFileOrDirectory {
            } catch {
                throw .system(error.errno, at: disk.file(digest))
            }
            pending.remove(digest)
        }
    }
}
