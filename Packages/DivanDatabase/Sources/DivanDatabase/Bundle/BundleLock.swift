import DivanPlatform
internal import DivanStore

/// Keeps other processes from writing to a database while this one does.
///
/// `flock` on a file of the bundle: the system drops it when the process ends, however it ends.
final class BundleLock: Sendable {
    private let descriptor: FileDescriptor

    /// Takes the lock, creating its file if necessary.
    ///
    /// - Throws: `StoreError.Code.busy` if another process, or another lock, has it, or if the
    ///   database was removed while this waited.
    init(at path: String, of directory: String) throws(StoreError) {
        let opened = try Self.opened(path, of: directory)
        if let number = Self.lock(opened) {
            opened.close()
            if number == .wouldBlock { throw StoreError(.busy(.otherProcess), at: directory) }
            throw .system(number, at: path)
        }
        guard Self.isAt(path, opened) else {
            opened.close()
            throw StoreError(.busy(.otherProcess), at: directory)
        }
        descriptor = opened
    }

    /// Whether the file that was locked is still the one at its path.
    ///
    /// During the wait another process may have deleted and recreated the database: it then has the
    /// lock of the new one.
    private static func isAt(_ path: String, _ descriptor: FileDescriptor) -> Bool {
        guard let mine = try? descriptor.status(),
            let present = try? FileStatus(of: path, followingLinks: false)
        else { return false }
        return mine.isSameFile(as: present)
    }

    private static func opened(
        _ path: String,
        of directory: String
    ) throws(StoreError) -> FileDescriptor {
        do throws(StoreError) {
            if let made = try StoreFiles.makeFile(path) { return made }
            return try StoreFiles.open(path, [.readWrite, .closeOnExec, .noFollow])
        } catch  where error.isDenied {
            throw StoreError(.readOnly, at: directory)
        }
    }

    /// Tries until the limit is reached; returns the error of the last attempt if it failed.
    private static func lock(_ descriptor: FileDescriptor) -> Errno? {
        let pause = 10
        var waited = 0
        while true {
            do {
                try descriptor.lock(waits: false)
                return nil
            } catch {
                guard error.errno == .wouldBlock, waited < DatabaseLimits.lockMilliseconds else {
                    return error.errno
                }
            }
            CurrentThread.sleep(milliseconds: pause)
            waited += pause
        }
    }

    deinit {
        descriptor.close()
    }
}
