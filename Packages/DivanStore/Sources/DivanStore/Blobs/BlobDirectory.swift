internal import Glibc
internal import Synchronization

/// Contents as files of one directory, `Attachments/` of a bundle.
///
/// A content is written to `incoming_…` and renamed when it is complete, so that a file with a
/// digest's name is whole. Names are made from decoded digests only, and links are not followed.
///
/// Source: `blobs.md` §2.
final class BlobDirectory: BlobShelf {
    private let path: String
    private let isReadOnly: Bool
    private let syncsDirectory: Bool
    private static let unfinishedPrefix = "incoming_"
    private let serial = Atomic<UInt64>(0)

    /// Opens the directory, makes it if it is missing, and clears away what a crash left.
    init(_ path: String, isReadOnly: Bool, syncsDirectory: Bool) throws(StoreError) {
        self.path = path
        self.isReadOnly = isReadOnly
        self.syncsDirectory = syncsDirectory
        guard !isReadOnly else { return }
        if !BundleFiles.exists(path) { try BundleFiles.makeDirectory(path) }
        for name in try BundleFiles.names(in: path) where name.hasPrefix(Self.unfinishedPrefix) {
            unlink(path + "/" + name)
        }
    }

    var directory: String? { path }

    private func file(_ digest: BlobDigest) -> String {
        path + "/" + digest.fileName
    }

    func byteCount(_ digest: BlobDigest) -> Int? {
        var status = stat()
        guard lstat(file(digest), &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return Int(status.st_size)
    }

    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
        let file = file(digest)
        // Non-blocking, or opening a pipe that somebody put there would wait for ever.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw StoreError(.noSuchBlob(digest), at: path) }
            throw .system(errno, at: file)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw StoreError(.noSuchBlob(digest), at: path)
        }
        return BlobFileSource(descriptor, byteCount: Int(status.st_size), path: file)
    }

    func sink() throws(StoreError) -> any BlobSink {
        guard !isReadOnly else { throw StoreError(.readOnly, at: path) }
        let number = serial.add(1, ordering: .relaxed).newValue
        let file = "\(path)/\(Self.unfinishedPrefix)\(getpid())_\(number)"
        let descriptor = open(
            file,
            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
            0o600
        )
        guard descriptor >= 0 else { throw .system(errno, at: file) }
        return BlobFileSink(
            descriptor,
            path: file,
            directory: path,
            syncsDirectory: syncsDirectory
        )
    }

    func remove(_ digest: BlobDigest) throws(StoreError) {
        guard unlink(file(digest)) == 0 || errno == ENOENT else {
            throw .system(errno, at: file(digest))
        }
    }

    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
        var digests: [BlobDigest] = []
        var unknownNames: [String] = []
        for name in try BundleFiles.names(in: path) {
            if let digest = BlobDigest(fileName: name) {
                digests.append(digest)
            } else if !name.hasPrefix(Self.unfinishedPrefix) {
                unknownNames.append(name)
            }
        }
        return (digests, unknownNames)
    }
}

/// A file being read.
private final class BlobFileSource: BlobSource {
    let byteCount: Int
    private let descriptor: Int32
    private let path: String
    private var offset = 0

    init(_ descriptor: Int32, byteCount: Int, path: String) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        var result = 0
        let piece = [UInt8](unsafeUninitializedCapacity: max(limit, 0)) { buffer, count in
            repeat {
                result = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            } while result < 0 && errno == EINTR
            count = max(result, 0)
        }
        guard result >= 0 else { throw .system(errno, at: path) }
        offset += piece.count
        return piece
    }

    func seek(to offset: Int) {
        self.offset = max(offset, 0)
    }
}

/// A temporary file that becomes a content.
private final class BlobFileSink: BlobSink {
    private var descriptor: Int32
    private let path: String
    private let directory: String
    private let syncsDirectory: Bool

    init(_ descriptor: Int32, path: String, directory: String, syncsDirectory: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.directory = directory
        self.syncsDirectory = syncsDirectory
    }

    func append(_ piece: Span<UInt8>) throws(StoreError) {
        let failure: Int32? = piece.withUnsafeBufferPointer { buffer in
            var written = 0
            while written < buffer.count {
                let rest = UnsafeBufferPointer(rebasing: buffer[written...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                written += count
            }
            return nil
        }
        if let failure {
            discard()
            throw .system(failure, at: path)
        }
    }

    func store(as digest: BlobDigest) throws(StoreError) {
        guard descriptor >= 0 else { throw StoreError(.notOpen, at: path) }
        let target = directory + "/" + digest.fileName
        guard !BundleFiles.isFile(target) else { return discard() }
        // The content reaches the disk before its name does: a name promises a whole content.
        guard fchmod(descriptor, 0o400) == 0, fdatasync(descriptor) == 0,
            rename(path, target) == 0
        else {
            let number = errno
            discard()
            throw .system(number, at: target)
        }
        close(descriptor)
        descriptor = -1
        if syncsDirectory { try BundleFiles.syncDirectory(directory) }
    }

    func discard() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(path)
        descriptor = -1
    }
}
