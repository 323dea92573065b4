import Glibc

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
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/divan-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            let reason = String(cString: strerror(errno))
            throw Failure(description: "temporary directory in \(parent): \(reason)")
        }
        path = String(cString: made)
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
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
        unlink(path)
        return
    }
    for name in entries(of: path) { remove("\(path)/\(name)") }
    rmdir(path)
}

private func entries(of path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}
