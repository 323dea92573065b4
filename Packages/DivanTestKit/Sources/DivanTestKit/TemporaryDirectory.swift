import DivanPlatform

/// A new directory, readable only by this user, that is removed with its last reference.
public final class TemporaryDirectory: Sendable {
    /// The directory could not be created; the text has the path and the system's error.
    public struct Failure: Error, CustomStringConvertible {
        /// One line: place and problem.
        public let description: String
    }

    /// The directory's absolute path, without a trailing slash.
    public let path: String

    /// Creates the directory below `$TMPDIR`, or below `/tmp`.
    public init() throws(Failure) {
        let parent = CurrentProcess.variable("TMPDIR") ?? "/tmp"
        do {
            path = try FileSystem.makeTemporaryDirectory(in: parent, prefix: "divan-test-")
        } catch {
            throw Failure(description: "temporary directory in \(parent): \(error.errno)")
        }
    }

    deinit {
        remove(path)
    }

    /// Returns the path of `name` in the directory; creates nothing.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of the directory's entries, sorted.
    public var names: [String] { entries(of: path).sorted() }
}

/// Removes a file, or a directory with its contents; a symbolic link is not followed.
private func remove(_ path: String) {
    guard let status = try? FileStatus(of: path, followingLinks: false) else { return }
    guard status.kind == .directory else {
        try? FileSystem.removeFile(path)
        return
    }
    for name in entries(of: path) { remove("\(path)/\(name)") }
    try? FileSystem.removeDirectory(path)
}

private func entries(of path: String) -> [String] {
    (try? FileSystem.names(in: path)) ?? []
}
