import DivanPlatform
internal import Synchronization

/// Blobs that a crash left complete but without their final names, and that documents may refer to.
///
/// Each is written once more, and the copy gets the name: what the disk did not accept from an earlier
/// process stays readable as long as the system runs, and a sync of it reports success (decision 0011).
/// Until the disk has confirmed the copies, they stay as they are, and can be read: they are tried when the
/// database is opened, and again only by a commit whose documents refer to one of them. A disk that is too
/// full for the copies, or cannot read one, fails no other commit.
final class BlobLeftovers: Sendable {
    private let disk: BlobDisk
    private let digests = Mutex<Set<BlobDigest>>([])

    init(on disk: BlobDisk) {
        self.disk = disk
    }

    /// Records what was found.
    func add(_ found: Set<BlobDigest>) {
        digests.withLock { $0.formUnion(found) }
    }

    /// Gives some of them their final names, which are then on the disk.
    ///
    /// - Throws: `StoreError` if that cannot be done now; the next attempt starts over.
    func takeOver(where isWanted: (BlobDigest) -> Bool) throws(StoreError) {
        try digests.withLock { digests throws(StoreError) in
            guard digests.contains(where: isWanted) else { return }
            // Those that a compaction removed no longer matter.
            digests = digests.filter { StoreFiles.isFile(disk.pendingFile($0)) }
            let found = digests.filter(isWanted)
            var copies: [String] = []
            defer { for copy in copies { try? FileSystem.removeFile(copy) } }
            for digest in found {
                copies.append(disk.unfinishedFile(digest.fileName))
                try copy(disk.pendingFile(digest), to: disk.unfinishedFile(digest.fileName))
            }
            if let failure = try disk.sync(copies) { throw failure }
            for (digest, copy) in zip(found, copies) {
                let file = disk.file(digest)
                try StoreError.wrapping(disk.calls.rename(copy, file), at: file)
            }
            if let failure = try disk.sync([]) { throw failure }
            for digest in found { try? FileSystem.removeFile(disk.pendingFile(digest)) }
            digests.subtract(found)
        }
    }

    /// Copies a file byte by byte: a shared extent would be the one that the disk refused.
    private func copy(_ pending: String, to copy: String) throws(StoreError) {
        let calls = disk.calls
        let source = try StoreError.wrapping(
            calls.open(pending, [.readOnly, .closeOnExec, .noFollow, .nonBlocking]),
            at: pending
        )
        defer { source.close() }
        let target = try StoreError.wrapping(
            FileDescriptor.open(
                copy,
                [.writeOnly, .create, .exclusive, .closeOnExec, .noFollow],
                permissions: 0o600
            ),
            at: copy
        )
        defer { target.close() }
        let piece = UnsafeMutableRawBufferPointer.allocate(
            byteCount: StoreLimits.blobPieceByteCount,
            alignment: 16
        )
        defer { piece.deallocate() }
        var offset = 0
        while true {
            let count = try StoreError.wrapping(calls.read(source, piece, offset), at: pending)
            guard count > 0 else { break }
            offset += count
            try StoreError.wrapping(
                calls.writeAll(UnsafeRawBufferPointer(rebasing: piece[..<count]), to: target),
                at: copy
            )
        }
        try StoreError.wrapping(calls.changeMode(target, 0o400), at: copy)
    }
}
