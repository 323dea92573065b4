internal import Glibc

/// What the system knows about a file.
public struct FileStatus: Equatable, Sendable {
    /// The kind of a file.
    public enum Kind: Sendable {
        /// A regular file.
        case regular
        /// A directory.
        case directory
        /// A symbolic link.
        case symbolicLink
        /// A character or block device.
        case device
        /// A pipe or a socket.
        case special
    }

    /// The kind of the file.
    public let kind: Kind
    /// The permission bits, with set-user-ID and the like.
    public let permissions: UInt32
    /// The size in bytes.
    public let byteCount: Int
    /// The user who owns the file.
    public let owner: UInt32
    /// The group of the file.
    public let group: UInt32
    /// The number of names of the file.
    public let linkCount: Int
    /// The device that contains the file.
    public let device: UInt64
    /// The number that distinguishes the file from others of its device.
    public let inode: UInt64
    /// When the content was changed last: whole seconds since 1970.
    public let modifiedSeconds: Int
    /// The rest of that second in nanoseconds.
    public let modifiedNanoseconds: Int

    /// When the content or the status was changed last: whole seconds since 1970.
    public let changedSeconds: Int
    /// The rest of that second in nanoseconds.
    public let changedNanoseconds: Int

    /// Reads the status of the file at a path, by default of the target of a symbolic link.
    public init(of path: String, followingLinks: Bool = true) throws(SystemError) {
        var status = stat()
        try checked("stat") { followingLinks ? stat(path, &status) : lstat(path, &status) }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFCHR, S_IFBLK: .device
            default: .special
            }
        permissions = status.st_mode & 0o7777
        byteCount = Int(status.st_size)
        (owner, group) = (status.st_uid, status.st_gid)
        linkCount = Int(status.st_nlink)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modifiedSeconds = Int(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
        changedSeconds = Int(status.st_ctim.tv_sec)
        changedNanoseconds = Int(status.st_ctim.tv_nsec)
    }

    /// Whether it is the status of the same file, whatever its path.
    public func isSameFile(as other: FileStatus) -> Bool {
        inode == other.inode && device == other.device
    }
}

extension FileDescriptor {
    /// Reads the status of the open file.
    public func status() throws(SystemError) -> FileStatus {
        var status = stat()
        try checked("fstat") { fstat(rawValue, &status) }
        return FileStatus(status)
    }
}
