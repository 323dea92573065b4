internal import Glibc

/// Keeps other processes from writing to a database while this one does.
///
/// `flock` on a file of the bundle: the system drops it when the process ends, however it ends.
final class BundleLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, creating its file if necessary.
    ///
    /// - Throws: `StoreError.Code.busy` if another process, or another lock, has it, or if the
    ///   database was removed while this waited.
    init(at path: String, of directory: String) throws(StoreError) {
        let opened = try Self.opened(path, of: directory)
        if let number = Self.lock(opened) {
            close(opened)
            if number == EWOULDBLOCK { throw StoreError(.busy(.otherProcess), at: directory) }
            throw .system(number, at: path)
        }
        guard Self.isAt(path, opened) else {
            close(opened)
            throw StoreError(.busy(.otherProcess), at: directory)
        }
        descriptor = opened
    }

    /// Whether the file that was locked is still the one at its path.
    ///
    /// During the wait another process may have deleted and recreated the database: it then has the
    /// lock of the new one.
    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (mine, present) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && lstat(path, &present) == 0
            && mine.st_ino == present.st_ino && mine.st_dev == present.st_dev
    }

    private static func opened(
        _ path: String,
        of directory: String
    ) throws(StoreError) -> Int32 {
        do throws(StoreError) {
            if let made = try BundleFiles.makeFile(path) { return made }
        } catch  where error.code == .io(EACCES) || error.code == .io(EPERM) {
            throw StoreError(.readOnly, at: directory)
        }
        let found = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard found >= 0 else {
            if errno == EACCES || errno == EPERM { throw StoreError(.readOnly, at: directory) }
            throw .system(errno, at: path)
        }
        return found
    }

    /// Tries until the limit is reached; returns the `errno` of the last attempt if it failed.
    private static func lock(_ descriptor: Int32) -> Int32? {
        let pause = 10
        var waited = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR, waited < StoreLimits.lockMilliseconds
            else { return number }
            usleep(UInt32(pause * 1_000))
            waited += pause
        }
        return nil
    }

    deinit {
        close(descriptor)
    }
}
