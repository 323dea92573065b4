internal import CDivanPlatform
internal import Glibc

/// Files and directories by their names.
public enum FileSystem {
    /// Removes a file or a link (`unlink`).
    public static func removeFile(_ path: String) throws(SystemError) {
        try checked("unlink") { unlink(path) }
    }

    /// Removes a file in an open directory.
    public static func removeFile(
        _ name: String,
        in directory: FileDescriptor
    ) throws(SystemError) {
        try checked("unlinkat") { unlinkat(directory.rawValue, name, 0) }
    }

    /// Renames a file or directory, replacing what has the new name.
    public static func rename(_ path: String, to target: String) throws(SystemError) {
        try checked("rename") { Glibc.rename(path, target) }
    }

    /// Exchanges two files or directories of one file system in one step.
    public static func exchange(_ one: String, _ other: String) throws(SystemError) {
        guard divan_exchange(one, other) == 0 else { throw SystemError("renameat2") }
    }

    /// Renames a file within an open directory, replacing what has the new name.
    public static func rename(
        _ name: String,
        to target: String,
        in directory: FileDescriptor
    ) throws(SystemError) {
        try checked("renameat") { renameat(directory.rawValue, name, directory.rawValue, target) }
    }

    /// Gives a file another name, which must not exist.
    public static func link(_ path: String, to target: String) throws(SystemError) {
        try checked("link") { Glibc.link(path, target) }
    }

    /// Gives a file another name within an open directory; the name must not exist.
    public static func link(
        _ name: String,
        to target: String,
        in directory: FileDescriptor
    ) throws(SystemError) {
        try checked("linkat") { linkat(directory.rawValue, name, directory.rawValue, target, 0) }
    }

    /// Gives an open file without a name (`OpenFlags.unnamed`) a name, which must not exist.
    public static func link(
        _ descriptor: FileDescriptor,
        to target: String
    ) throws(SystemError) {
        try checked("linkat") {
            linkat(AT_FDCWD, descriptor.linkPath, AT_FDCWD, target, AT_SYMLINK_FOLLOW)
        }
    }

    /// Changes the length of a file.
    public static func truncate(_ path: String, to byteCount: Int) throws(SystemError) {
        try checked("truncate") { Glibc.truncate(path, byteCount) }
    }

    /// Creates a symbolic link, whose target need not exist.
    public static func symbolicLink(_ path: String, to target: String) throws(SystemError) {
        try checked("symlink") { symlink(target, path) }
    }

    /// Creates a pipe with a name.
    public static func makePipe(_ path: String, permissions: UInt32 = 0o600) throws(SystemError) {
        try checked("mkfifo") { mkfifo(path, mode_t(permissions)) }
    }

    /// Changes the permissions of a file.
    public static func setPermissions(
        _ permissions: UInt32,
        of path: String
    ) throws(SystemError) {
        try checked("chmod") { chmod(path, mode_t(permissions)) }
    }

    /// Whether there is something at a path, even a link without a target.
    public static func exists(_ path: String) -> Bool {
        (try? FileStatus(of: path, followingLinks: false)) != nil
    }

    /// What this process wants to do with a file.
    public struct Access: OptionSet, Sendable {
        /// The bits of `access(2)`.
        public let rawValue: Int32

        /// Wraps bits.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The file must only exist.
        public static let existing: Access = []
        /// Write to it, or create files in it.
        public static let write = Access(rawValue: W_OK)
        /// Run it, or use files in it.
        public static let execute = Access(rawValue: X_OK)
    }

    /// Throws if this process may not use a file that way.
    public static func checkAccess(_ path: String, _ access: Access) throws(SystemError) {
        try checked("access") { Glibc.access(path, access.rawValue) }
    }

    /// Whether this process may use a file that way.
    public static func isAccessible(_ path: String, _ access: Access = .existing) -> Bool {
        (try? checkAccess(path, access)) != nil
    }

    /// The path with all links resolved.
    public static func realPath(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError("realpath") }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Bytes that this process may still store in the file system of a path.
    ///
    /// - Returns: The free and all bytes, at most `Int.max`.
    public static func space(at path: String) throws(SystemError) -> (free: Int, total: Int) {
        var status = statvfs()
        try checked("statvfs") { statvfs(path, &status) }
        let block = Int(clamping: max(status.f_frsize, 1))
        func byteCount(_ blocks: UInt) -> Int {
            let (bytes, isTooLarge) = Int(clamping: blocks).multipliedReportingOverflow(by: block)
            return isTooLarge ? .max : bytes
        }
        return (byteCount(UInt(status.f_bavail)), byteCount(UInt(status.f_blocks)))
    }

    /// Makes the system write everything that waits in memory to the disks.
    public static func syncAll() {
        Glibc.sync()
    }

    /// Syncs the whole file system that contains an open file; not repeated after any error.
    public static func syncAll(containing descriptor: FileDescriptor) throws(SystemError) {
        guard divan_sync_file_system(descriptor.rawValue) == 0 else { throw SystemError("syncfs") }
    }
}

// MARK: Directories

extension FileSystem {
    /// The directory that contains a path, in the path's spelling: another spelling may lead to another file system.
    ///
    /// Works on bytes, like the system: to Swift, a slash followed by a combining accent is another character.
    public static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
    }

    /// Syncs a directory's entries to the disk, so that the names of new files survive a power failure.
    public static func syncDirectory(_ path: String) throws(SystemError) {
        let directory = try FileDescriptor.open(path, [.readOnly, .directory, .closeOnExec])
        defer { directory.close() }
        try directory.sync()
    }

    /// Creates a directory; the process's mask applies.
    public static func makeDirectory(
        _ path: String,
        permissions: UInt32 = 0o700
    ) throws(SystemError) {
        try checked("mkdir") { mkdir(path, mode_t(permissions)) }
    }

    /// Creates a directory with a name of its own, which only its owner can enter; the name begins with `prefix`.
    public static func makeTemporaryDirectory(
        in parent: String,
        prefix: String
    ) throws(SystemError) -> String {
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        return text(in: template)
    }

    /// A path in a directory for a file that is renamed or removed when it is complete; the name is random.
    public static func draftPath(in directory: String) -> String {
        "\(directory)/.divan-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).tmp"
    }

    /// Creates an empty file that only its owner can read and write, whatever the process's umask.
    ///
    /// - Returns: An open descriptor, or `nil` if there is something at `path` already.
    public static func makePrivateFile(_ path: String) throws(SystemError) -> FileDescriptor? {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                path,
                [.readWrite, .create, .exclusive, .closeOnExec, .noFollow],
                permissions: 0o600
            )
        } catch {
            if error.errno == .fileExists { return nil }
            throw error
        }
        do {
            try descriptor.setPermissions(0o600)
            return descriptor
        } catch {
            descriptor.close()
            throw error
        }
    }

    /// Removes an empty directory.
    public static func removeDirectory(_ path: String) throws(SystemError) {
        try checked("rmdir") { rmdir(path) }
    }

    /// The names in a directory except `.` and `..`, in no particular order.
    ///
    /// - Throws: Also if the system cannot read the directory to its end.
    public static func names(in path: String) throws(SystemError) -> [String] {
        try names(of: open(path))
    }

    /// Opens a directory to read it.
    static func open(_ path: String) throws(SystemError) -> OpaquePointer {
        guard let stream = opendir(path) else { throw SystemError("opendir") }
        return stream
    }

    /// The same for an open directory, which stays open.
    public static func names(in directory: FileDescriptor) throws(SystemError) -> [String] {
        // A second descriptor: closedir closes the one that it reads from.
        let copy = try directory.open(".", [.readOnly, .directory, .closeOnExec])
        guard let stream = fdopendir(copy.rawValue) else {
            let error = SystemError("fdopendir")
            copy.close()
            throw error
        }
        return try names(of: stream)
    }

    /// Reads a directory to its end, and closes it; a test passes another `next`.
    static func names(
        of stream: OpaquePointer,
        next: (OpaquePointer) -> String? = nextName(in:)
    ) throws(SystemError) -> [String] {
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // Only `errno` distinguishes the end from a failure.
            Errno.current = .none
            guard let name = next(stream) else { break }
            if name != ".", name != ".." { names.append(name) }
        }
        let number = Errno.current
        guard number == .none else { throw SystemError("readdir", number) }
        return names
    }

    /// The next name in a directory; `nil` at the end, and after a failure.
    static func nextName(in stream: OpaquePointer) -> String? {
        guard let entry = readdir(stream) else { return nil }
        // In place, because the name may end at the end of its memory; it is valid until the next `readdir`.
        return withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
