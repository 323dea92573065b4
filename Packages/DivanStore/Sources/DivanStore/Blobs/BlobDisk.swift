import DivanPlatform

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
    // and earlier ones only if they were reported to nobody else on the file system. None for read-only use.
    private let root: FileDescriptor

    /// Opens the directory, and creates it if it is missing; read-only use needs none.
    init(_ path: String, isReadOnly: Bool, calls: BlobCalls) throws(StoreError) {
        self.path = path
        self.calls = calls
        guard !isReadOnly else {
            root = .none
            return
        }
        if !StoreFiles.exists(path) {
            try StoreFiles.makeDirectory(path)
            StoreFiles.syncName(of: path)
        }
        root = try StoreError.wrapping(
            calls.open(path, [.readOnly, .directory, .closeOnExec]),
            at: path
        )
    }

    deinit {
        if root.isOpen { root.close() }
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
        "\(path)/\(Self.unfinishedPrefix)\(CurrentProcess.id)_\(mark)"
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
            return failure(of: try calls.syncAll(root), at: path)
        }
        for file in files + [path] {
            let descriptor: FileDescriptor
            do {
                descriptor = try calls.open(file, [.readOnly, .closeOnExec, .noFollow])
            } catch {
                if error.errno == .noSuchFileOrDirectory { continue }  // removed by somebody's hand
                throw .system(error.errno, at: file)
            }
            defer { descriptor.close() }
            if let failure = failure(of: try calls.sync(descriptor), at: file) { return failure }
        }
        return nil
    }

    private func failure(
        of call: @autoclosure () throws(SystemError) -> Void,
        at path: String
    ) -> StoreError? {
        do {
            try call()
            return nil
        } catch {
            return .system(error.errno, at: path)
        }
    }
}
