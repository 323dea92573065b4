internal import Glibc

/// The files of a directory of blobs, by name, and how they are synced to the disk.
final class BlobDisk: Sendable {
    /// Prefix of the file name while a blob is incomplete.
    static let unfinishedPrefix = "incoming_"
    /// Prefix of the file name of a blob that may not have reached the disk.
    static let pendingPrefix = "pending_"
    /// Prefix of the file name of a blob of which a part has arrived.
    static let partialPrefix = "partial_"

    let path: String
    let calls: BlobCalls
    // Open as long as blobs are written: `syncfs` reports to a descriptor the failures since it was opened,
    // and earlier ones only if they were reported to nobody else on the file system. -1 for read-only use.
    private let root: Int32

    /// Opens the directory, and creates it if it is missing; read-only use needs none.
    init(_ path: String, isReadOnly: Bool, calls: BlobCalls) throws(StoreError) {
        self.path = path
        self.calls = calls
        guard !isReadOnly else {
            root = -1
            return
        }
        if !BundleFiles.exists(path) {
            try BundleFiles.makeDirectory(path)
            BundleFiles.syncName(of: path)
        }
        root = calls.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw .system(errno, at: path) }
    }

    deinit {
        if root >= 0 { close(root) }
    }

    func file(_ digest: BlobDigest) -> String { path + "/" + digest.fileName }

    func pendingFile(_ digest: BlobDigest) -> String {
        path + "/" + Self.pendingPrefix + digest.fileName
    }

    func partialFile(_ digest: BlobDigest) -> String {
        path + "/" + Self.partialPrefix + digest.fileName
    }

    /// A file name for a blob that is being written; `mark` distinguishes those of this process.
    func unfinishedFile(_ mark: String) -> String {
        "\(path)/\(Self.unfinishedPrefix)\(getpid())_\(mark)"
    }

    /// Syncs files to the disk, and the names that they have now.
    ///
    /// After a power cut the database is opened with those names: a file whose bytes are on the disk
    /// need not have its name there.
    ///
    /// - Returns: The disk's error if it did not confirm them: some may be lost.
    /// - Throws: Why it could not be asked: nothing is lost.
    func sync(_ files: [String]) throws(StoreError) -> StoreError? {
        if files.count > StoreLimits.singlySyncedBlobCount {
            return calls.syncAll(root) == 0 ? nil : .system(errno, at: path)
        }
        for file in files + [path] {
            let descriptor = calls.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            if descriptor < 0, errno == ENOENT { continue }  // removed by somebody's hand
            guard descriptor >= 0 else { throw .system(errno, at: file) }
            let result = calls.sync(descriptor)
            let number = errno
            close(descriptor)
            guard result == 0 else { return .system(number, at: file) }
        }
        return nil
    }
}
