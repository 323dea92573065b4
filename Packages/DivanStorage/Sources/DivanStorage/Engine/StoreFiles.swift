public import DivanPlatform

/// What databases do with files: as `FileSystem`, with errors that name the path.
public enum StoreFiles {
    /// Whether there is anything at `path`, even a dangling link.
    public static func exists(_ path: String) -> Bool { status(path) != nil }

    private static func status(_ path: String) -> FileStatus? {
        try? FileStatus(of: path, followingLinks: false)
    }

    /// What kind of file is at `path`, without following a link; `nil` if there is nothing.
    ///
    /// - Throws: `StoreError` if the system denies access.
    public static func kind(of path: String) throws(StoreError) -> FileStatus.Kind? {
        do {
            return try FileStatus(of: path, followingLinks: false).kind
        } catch {
            guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else {
                throw .system(error.errno, at: path)
            }
            return nil
        }
    }

    /// Bytes in a file; 0 if there is none.
    public static func byteCount(_ path: String) -> Int { status(path)?.byteCount ?? 0 }

    /// Whether there is a directory at `path`, as opposed to a link to one.
    public static func isDirectory(_ path: String) -> Bool { status(path)?.kind == .directory }

    /// Whether there is a regular file at `path`, as opposed to a link to one.
    public static func isFile(_ path: String) -> Bool { status(path)?.kind == .regular }

    /// Names in a directory, without `.` and `..`, in no particular order.
    ///
    /// - Throws: `StoreError`, also if the system cannot read it to its end.
    public static func names(in directory: String) throws(StoreError) -> [String] {
        try StoreError.wrapping(FileSystem.names(in: directory), at: directory)
    }

    /// Opens a file or directory.
    public static func open(
        _ path: String,
        _ flags: FileDescriptor.OpenFlags
    ) throws(StoreError) -> FileDescriptor {
        try StoreError.wrapping(FileDescriptor.open(path, flags), at: path)
    }

    /// Creates a directory that only its owner can enter, whatever the process's umask.
    public static func makeDirectory(_ path: String) throws(StoreError) {
        try StoreError.wrapping(FileSystem.makeDirectory(path), at: path)
        try StoreError.wrapping(FileSystem.setPermissions(0o700, of: path), at: path)
    }

    /// Creates an empty file that only its owner can read and write, whatever the process's umask.
    ///
    /// Returns an open descriptor, or `nil` if there is something at `path` already.
    public static func makeFile(_ path: String) throws(StoreError) -> FileDescriptor? {
        try StoreError.wrapping(FileSystem.makePrivateFile(path), at: path)
    }

    /// Reads a file; `nil` if it has more bytes than `limit`.
    public static func read(_ path: String, limit: Int) throws(StoreError) -> [UInt8]? {
        let descriptor = try open(path, [.readOnly, .closeOnExec, .noFollow])
        defer { descriptor.close() }
        return try StoreError.wrapping(descriptor.readAll(limit: limit), at: path)
    }

    /// Creates a short file with this text, and syncs it.
    public static func write(_ text: String, to path: String) throws(StoreError) {
        guard let descriptor = try makeFile(path) else {
            throw StoreError(.io(.fileExists), at: path)
        }
        defer { descriptor.close() }
        try StoreError.wrapping(descriptor.writeAll(Array(text.utf8)), at: path)
        try StoreError.wrapping(descriptor.sync(), at: path)
    }

    /// Creates a directory and any missing parent directories.
    public static func makeDirectories(_ path: String) throws(StoreError) {
        guard (try? FileStatus(of: path)) == nil else { return }
        if let parent = split(path).parent, parent != "/" { try makeDirectories(parent) }
        do throws(StoreError) {
            try makeDirectory(path)
        } catch  where error.code == .io(.fileExists) {}
    }

    /// Removes a directory with its files; links inside are removed, not followed.
    ///
    /// Two threads or processes may remove the same directory at the same time.
    public static func removeDirectory(_ path: String) throws(StoreError) {
        let names: [String]
        do throws(StoreError) {
            names = try Self.names(in: path)
        } catch  where error.code == .io(.noSuchFileOrDirectory) {
            return
        }
        for name in names {
            let child = path + "/" + name
            if isDirectory(child) {
                try removeDirectory(child)
            } else {
                try removeFile(child)
            }
        }
        try ignoringMissing(path, FileSystem.removeDirectory(path))
    }

    private static func ignoringMissing(
        _ path: String,
        _ call: @autoclosure () throws(SystemError) -> Void
    ) throws(StoreError) {
        do {
            try call()
        } catch  where error.errno == .noSuchFileOrDirectory {
        } catch {
            throw .system(error.errno, at: path)
        }
    }

    /// Syncs a file to the disk.
    public static func syncFile(_ path: String) throws(StoreError) {
        let descriptor = try open(path, [.readOnly, .closeOnExec, .noFollow])
        defer { descriptor.close() }
        try StoreError.wrapping(descriptor.sync(), at: path)
    }

    /// Removes a file if it exists.
    public static func removeFile(_ path: String) throws(StoreError) {
        try ignoringMissing(path, FileSystem.removeFile(path))
    }

    /// Renames a file or directory, replacing whatever has the new name; an error is about `place`, by default the old
    /// name.
    public static func move(
        _ path: String,
        to target: String,
        at place: String? = nil
    ) throws(StoreError) {
        try StoreError.wrapping(FileSystem.rename(path, to: target), at: place ?? path)
    }

    /// Syncs the directory that contains a file or directory, and so its own new name.
    ///
    /// Errors are ignored: the name exists, and a power cut may undo it.
    public static func syncName(of path: String) {
        try? FileSystem.syncDirectory(FileSystem.directory(of: path))
    }

    /// The last component of a path, and what precedes it: `/` for the root, `nil` if there is no slash.
    ///
    /// Works on bytes, like the system: to Swift, a slash followed by a combining accent is another
    /// character.
    public static func split(_ path: String) -> (parent: String?, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (nil, path) }
        let parent =
            slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
        return (parent, String(decoding: path.utf8[slash...].dropFirst(), as: UTF8.self))
    }

    /// Syncs a directory's entries to the disk.
    public static func syncDirectory(_ path: String) throws(StoreError) {
        try StoreError.wrapping(FileSystem.syncDirectory(path), at: path)
    }
}
