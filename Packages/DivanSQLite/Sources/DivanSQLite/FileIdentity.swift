internal import DivanPlatform

/// What distinguishes a file from every other to the system, wherever it is.
public struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Reads the identity of the file at a path; `nil` if the system does not provide it.
    public init?(at path: String) {
        guard let found = try? Self.present(at: path) else { return nil }
        self = found
    }

    private init(_ status: FileStatus) {
        device = status.device
        number = status.inode
    }

    private static func present(at path: String) throws(SystemError) -> FileIdentity {
        FileIdentity(try FileStatus(of: path, followingLinks: false))
    }

    /// Whether the file is still at that path, as far as the system reveals.
    ///
    /// A process that has lost access to the path keeps using the file it has open.
    public func isAt(_ path: String) -> Bool {
        do {
            return try Self.present(at: path) == self
        } catch {
            return error.errno != .noSuchFileOrDirectory && error.errno != .notDirectory
        }
    }
}

/// Checks now and then whether a file is where it was opened.
///
/// Removing a file also removes what was written to it just before, so a few milliseconds more make no
/// difference; and a check costs as much as a twentieth of a small commit.
public struct FilePresence {
    private let identity: FileIdentity?
    private var lastLook: UInt64

    /// Records the file that is at a path now.
    public init(at path: String) {
        identity = FileIdentity(at: path)
        lastLook = MonotonicClock.coarse()
    }

    /// Whether the file has left its path, as far as known; checks again if the last check was a while ago,
    /// or with `atOnce`.
    public mutating func isGone(from path: String, atOnce: Bool) -> Bool {
        let now = MonotonicClock.coarse()
        let milliseconds = Int((now - lastLook) / 1_000_000)
        guard atOnce || milliseconds >= SQLiteLimits.presenceMilliseconds else { return false }
        // Once the file is gone, every further call checks again: it may come back.
        guard identity?.isAt(path) != false else { return true }
        lastLook = now
        return false
    }
}
