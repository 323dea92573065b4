internal import Glibc

/// What distinguishes a file from every other to the system, wherever it is.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Reads the identity of the file at a path; `nil` if the system does not provide it.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// Whether the file is still at that path, as far as the system reveals.
    ///
    /// A process that has lost access to the path keeps using the file it has open.
    func isAt(_ path: String) -> Bool {
        if let present = FileIdentity(at: path) { return present == self }
        return errno != ENOENT && errno != ENOTDIR
    }
}

/// Checks now and then whether a file is where it was opened.
///
/// Removing a file also removes what was written to it just before, so a few milliseconds more make no
/// difference; and a check costs as much as a twentieth of a small commit.
struct FilePresence {
    private let identity: FileIdentity?
    private var lastLook: timespec

    /// Records the file that is at a path now.
    init(at path: String) {
        identity = FileIdentity(at: path)
        lastLook = Self.now
    }

    private static var now: timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        return now
    }

    /// Whether the file has left its path, as far as known; checks again if the last check was a while ago,
    /// or with `atOnce`.
    mutating func isGone(from path: String, atOnce: Bool) -> Bool {
        let now = Self.now
        let passed =
            (now.tv_sec - lastLook.tv_sec) * 1_000_000_000 + now.tv_nsec - lastLook.tv_nsec
        guard atOnce || passed >= StoreLimits.presenceMilliseconds * 1_000_000 else { return false }
        // Once the file is gone, every further call checks again: it may come back.
        guard identity?.isAt(path) != false else { return true }
        lastLook = now
        return false
    }
}
