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

/// Looks now and then whether a file is where it was opened.
///
/// Who removes a file takes what was written just before along, so that a few milliseconds more change
/// nothing; and a look costs as much as a twentieth of a small commit.
struct FilePresence {
    private let identity: FileIdentity?
    private var lastLook: timespec

    /// Notes the file that is at a path now.
    init(at path: String) {
        identity = FileIdentity(at: path)
        lastLook = Self.now
    }

    private static var now: timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        return now
    }

    /// Whether the file has left its path, as far as that is known; where the last look was a while ago, or
    /// with `atOnce`, there is another one.
    mutating func isGone(from path: String, atOnce: Bool) -> Bool {
        let now = Self.now
        let passed =
            (now.tv_sec - lastLook.tv_sec) * 1_000_000_000 + now.tv_nsec - lastLook.tv_nsec
        guard atOnce || passed >= StoreLimits.presenceMilliseconds * 1_000_000 else { return false }
        // Once gone each further call looks again: the file may come back.
        guard identity?.isAt(path) != false else { return true }
        lastLook = now
        return false
    }
}
