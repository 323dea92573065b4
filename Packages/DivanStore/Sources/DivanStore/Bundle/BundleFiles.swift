internal import Glibc

/// The files of a database: a directory with `db.sqlite3`, `Attachments/` and `lock`.
///
/// Source: `blobs.md` §2.
struct BundleFiles: Equatable, Sendable {
    /// The directory, `<name>.cblite2`.
    let directory: String

    var database: String { directory + "/db.sqlite3" }
    var blobs: String { directory + "/Attachments" }
    var lock: String { directory + "/lock" }
    /// Where the database is rewritten with another key, and where its blobs are.
    var rekeyed: String { directory + "/db.sqlite3-rekey" }
    var rekeyedBlobs: String { directory + "/Attachments-rekey" }
    /// The blobs with the old key, about to be deleted.
    var formerBlobs: String { directory + "/Attachments-old" }
    /// Where a new database is assembled before it is renamed in one step.
    var unfinished: String { directory + ".creating" }

    /// Where a database is moved to be deleted, so that it disappears in one step.
    var abandoned: String { directory + ".deleting" }

    /// Whether there is anything at `path`, even a dangling link.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// What kind of file is at `path`, without following a link; `nil` if there is nothing.
    ///
    /// - Throws: `StoreError` if the system denies access.
    static func kind(of path: String) throws(StoreError) -> mode_t? {
        var status = stat()
        if lstat(path, &status) == 0 { return status.st_mode & S_IFMT }
        guard errno == ENOENT || errno == ENOTDIR else { throw .system(errno, at: path) }
        return nil
    }

    /// Bytes in a file; 0 if there is none.
    static func byteCount(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether there is a directory at `path`, as opposed to a link to one.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is a regular file at `path`, as opposed to a link to one.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The path with links resolved; `nil` if there is nothing at it.
    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Names in a directory, without `.` and `..`, in no particular order.
    ///
    /// - Throws: `StoreError`, also if the system cannot read it to its end.
    static func names(
        in directory: String,
        next: (OpaquePointer) -> UnsafeMutablePointer<dirent>? = { readdir($0) }
    ) throws(StoreError) -> [String] {
        guard let stream = opendir(directory) else { throw .system(errno, at: directory) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // Only `errno` distinguishes the end from a failure.
            errno = 0
            guard let entry = next(stream) else { break }
            // `d_name` is a NUL-terminated array inside the entry, which is valid until the next
            // `readdir`; the string is made before.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        let number = errno
        guard number == 0 else { throw .system(number, at: directory) }
        return names
    }

    /// Creates a directory that only its owner can enter, whatever the process's umask.
    static func makeDirectory(_ path: String) throws(StoreError) {
        guard mkdir(path, 0o700) == 0, chmod(path, 0o700) == 0 else {
            throw .system(errno, at: path)
        }
    }

    /// Creates an empty file that only its owner can read and write, whatever the process's umask.
    ///
    /// Returns an open descriptor, or `nil` if there is something at `path` already.
    static func makeFile(_ path: String) throws(StoreError) -> Int32? {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw .system(errno, at: path)
        }
        guard fchmod(descriptor, 0o600) == 0 else {
            let number = errno
            close(descriptor)
            throw .system(number, at: path)
        }
        return descriptor
    }

    /// Closes what `makeFile` opened.
    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Creates a directory and any missing parent directories.
    static func makeDirectories(_ path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) != 0 else { return }
        if let parent = split(path).parent, parent != "/" { try makeDirectories(parent) }
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw .system(errno, at: path)
        }
        guard chmod(path, 0o700) == 0 else { throw .system(errno, at: path) }
    }

    /// Removes a directory with its files; links inside are removed, not followed.
    ///
    /// Two threads or processes may remove the same directory at the same time.
    static func removeDirectory(_ path: String) throws(StoreError) {
        let names: [String]
        do throws(StoreError) {
            names = try Self.names(in: path)
        } catch  where error.code == .io(ENOENT) {
            return
        }
        for name in names {
            let child = path + "/" + name
            if isDirectory(child) {
                try removeDirectory(child)
            } else if unlink(child) != 0, errno != ENOENT {
                throw .system(errno, at: child)
            }
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw .system(errno, at: path) }
    }

    /// Syncs a file to the disk.
    static func syncFile(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(errno, at: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, at: path) }
    }

    /// Removes a file if it exists.
    static func removeFile(_ path: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(errno, at: path) }
    }

    /// Renames a file or directory, replacing whatever has the new name.
    static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else { throw .system(errno, at: path) }
    }

    /// Syncs the directory that contains a file or directory, and so its own new name.
    ///
    /// Errors are ignored: the name exists, and a power cut may undo it.
    static func syncName(of path: String) {
        try? syncDirectory(split(path).parent ?? ".")
    }

    /// The last component of a path, and what precedes it: `/` for the root, `nil` if there is no slash.
    ///
    /// Works on bytes, like the system: to Swift, a slash followed by a combining accent is another
    /// character.
    static func split(_ path: String) -> (parent: String?, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (nil, path) }
        let parent =
            slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
        return (parent, String(decoding: path.utf8[slash...].dropFirst(), as: UTF8.self))
    }

    /// Syncs a directory's entries to the disk.
    static func syncDirectory(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, at: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, at: path) }
    }
}
