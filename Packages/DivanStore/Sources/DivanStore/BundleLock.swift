internal import Glibc

/// Keeps other processes from writing to a database while this one does.
///
/// `flock` on a file of the bundle: the system drops it when the process ends, however it ends.
final class BundleLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, making its file if need be.
    ///
    /// - Throws: `StoreError.Code.busy` when another process, or another lock, has it.
    init(at path: String, of directory: String) throws(StoreError) {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            if errno == EACCES || errno == EPERM { throw StoreError(.readOnly, at: directory) }
            throw .system(errno, at: path)
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(opened)
            if number == EWOULDBLOCK { throw StoreError(.busy(.otherProcess), at: directory) }
            throw .system(number, at: path)
        }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }
}
