internal import Glibc

/// The files of a directory of contents, by name, and what brings them to the disk.
final class BlobDisk: Sendable {
    /// What a file is called while its content is not complete.
    static let unfinishedPrefix = "incoming_"
    /// What stands before the name of a content that may not have reached the disk.
    static let pendingPrefix = "pending_"
    /// What stands before the name of a content of which a part has come.
    static let partialPrefix = "partial_"

    let path: String
    let calls: BlobCalls
    // Open as long as contents are written: `syncfs` tells a descriptor of failures since it was opened, and
    // of earlier ones only if nobody else on the file system was told. -1 for who only reads.
    private let root: Int32

    /// Opens the directory, and makes it if it is missing; who only reads needs none.
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

    /// A name for a content that is being written; `mark` tells those of this process apart.
    func unfinishedFile(_ mark: String) -> String {
        "\(path)/\(Self.unfinishedPrefix)\(getpid())_\(mark)"
    }

    /// Brings contents to the disk, and the names that they have now.
    ///
    /// Who opens the database after a power cut finds them under those: a file that is on the disk need
    /// not have its name there.
    ///
    /// - Returns: What the disk answered where it did not confirm them: some may be lost.
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
