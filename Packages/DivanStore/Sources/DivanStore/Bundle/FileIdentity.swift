internal import Glibc

/// By what the system tells a file from every other, wherever it is.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Looks at the file at a path; `nil` where the system does not tell.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// Whether the file has not left that path, as far as the system tells.
    ///
    /// A process that may no longer look there keeps what it has open.
    func isAt(_ path: String) -> Bool {
        if let present = FileIdentity(at: path) { return present == self }
        return errno != ENOENT && errno != ENOTDIR
    }
}
