internal import CDivanPlatform
internal import Glibc

/// An open file, directory, pipe or socket; whoever opens it closes it once.
public struct FileDescriptor: RawRepresentable, Hashable, Sendable {
    /// The system's number; negative if nothing is open.
    public let rawValue: Int32

    /// Wraps a number.
    @inlinable
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Wraps a number.
    @inlinable
    public init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Standard input.
    public static let standardInput = FileDescriptor(0)
    /// Standard output.
    public static let standardOutput = FileDescriptor(1)
    /// Standard error.
    public static let standardError = FileDescriptor(2)
    /// Nothing open.
    public static let none = FileDescriptor(-1)

    /// Whether something is open.
    public var isOpen: Bool { rawValue >= 0 }

    /// The path through which a file without a name gets one; it does not exist if `/proc` is not mounted.
    var linkPath: String { "/proc/self/fd/\(rawValue)" }

    /// How a file is opened.
    public struct OpenFlags: OptionSet, Sendable {
        /// The flags of `open(2)`.
        public let rawValue: Int32

        /// Wraps flags.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// `O_RDONLY`, the default.
        public static let readOnly: OpenFlags = []
        /// `O_WRONLY`.
        public static let writeOnly = OpenFlags(rawValue: O_WRONLY)
        /// `O_RDWR`.
        public static let readWrite = OpenFlags(rawValue: O_RDWR)
        /// `O_CREAT`.
        public static let create = OpenFlags(rawValue: O_CREAT)
        /// `O_EXCL`.
        public static let exclusive = OpenFlags(rawValue: O_EXCL)
        /// `O_TRUNC`.
        public static let truncate = OpenFlags(rawValue: O_TRUNC)
        /// `O_APPEND`.
        public static let append = OpenFlags(rawValue: O_APPEND)
        /// `O_CLOEXEC`.
        public static let closeOnExec = OpenFlags(rawValue: O_CLOEXEC)
        /// `O_NOFOLLOW`.
        public static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
        /// `O_NONBLOCK`.
        public static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
        /// `O_DIRECTORY`.
        public static let directory = OpenFlags(rawValue: O_DIRECTORY)
        /// `O_NOCTTY`.
        public static let noControllingTerminal = OpenFlags(rawValue: O_NOCTTY)
        /// `O_TMPFILE`, which glibc's header composes of several flags: a file without a name.
        public static let unnamed = OpenFlags(rawValue: 0o20_000_000 | O_DIRECTORY)
    }

    /// Opens a file; `permissions` are those of a new one.
    public static func open(
        _ path: String,
        _ flags: OpenFlags,
        permissions: UInt32 = 0
    ) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            try checked("open") { Glibc.open(path, flags.rawValue, mode_t(permissions)) }
        )
    }

    /// Opens a file in this directory.
    public func open(
        _ name: String,
        _ flags: OpenFlags,
        permissions: UInt32 = 0
    ) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            try checked("openat") { openat(rawValue, name, flags.rawValue, mode_t(permissions)) }
        )
    }

    /// Creates a pipe, whose ends child processes do not inherit.
    public static func pipe() throws(SystemError) -> (
        reading: FileDescriptor, writing: FileDescriptor
    ) {
        var ends: [Int32] = [-1, -1]
        guard divan_pipe(&ends) == 0 else { throw SystemError("pipe") }
        return (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
    }

    /// Closes it; failures are not reported.
    public func close() {
        _ = Glibc.close(rawValue)
    }

    /// Keeps child processes from inheriting it.
    public func closeOnExec() {
        _ = fcntl(rawValue, F_SETFD, FD_CLOEXEC)
    }

    /// Makes reading and writing fail with `wouldBlock` instead of waiting.
    public func setNonBlocking() {
        _ = fcntl(rawValue, F_SETFL, O_NONBLOCK)
    }

    /// Whether the number belongs to an open file.
    public var isValid: Bool { fcntl(rawValue, F_GETFD) >= 0 }

    /// Whether it is a terminal.
    public var isTerminal: Bool { isatty(rawValue) == 1 }
}

// MARK: Reading and writing

extension FileDescriptor {
    /// Reads into memory; returns the number of bytes, 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try checked("read") { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Reads into memory from a position in the file.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(SystemError) -> Int {
        try checked("pread") { pread(rawValue, buffer.baseAddress, buffer.count, offset) }
    }

    /// Reads at most `count` bytes; none at the end.
    public func read(upTo count: Int) throws(SystemError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            result = uninterrupted { Glibc.read(rawValue, room.baseAddress, count) }
            filled = max(0, result)
        }
        guard result >= 0 else { throw SystemError("read") }
        return bytes
    }

    /// Reads to the end; `nil` if there are more than `limit` bytes.
    public func readAll(limit: Int = .max) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while case let piece = try read(upTo: 1 << 14), !piece.isEmpty {
            bytes += piece
            if bytes.count > limit { return nil }
        }
        return bytes
    }

    /// Writes some bytes; returns their number.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try checked("write") { Glibc.write(rawValue, bytes.baseAddress, bytes.count) }
    }

    /// Writes some bytes at a position in the file; returns their number.
    public func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int
    ) throws(SystemError) -> Int {
        try checked("pwrite") { pwrite(rawValue, bytes.baseAddress, bytes.count, offset) }
    }

    /// Writes every byte, in as many calls as needed.
    public func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try write(rest)
            guard count > 0 else { throw SystemError("write", .ioError) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Writes every byte, in as many calls as needed.
    public func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try writeAll(bytes.span)
    }

    /// Writes every byte, in as many calls as needed.
    public func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
        try bytes.withUnsafeBytes { bytes throws(SystemError) in try writeAll(bytes) }
    }

    /// The bytes that wait in a pipe; `nil` if the system does not tell.
    public var waitingByteCount: Int? {
        var count: Int32 = 0
        return ioctl(rawValue, UInt(FIONREAD), &count) == 0 ? Int(count) : nil
    }

    /// Moves to a position counted from the start.
    public func seek(to offset: Int) throws(SystemError) {
        try checked("lseek") { lseek(rawValue, offset, SEEK_SET) }
    }

    /// Moves to the end; returns the position.
    public func seekToEnd() throws(SystemError) -> Int {
        try checked("lseek") { lseek(rawValue, 0, SEEK_END) }
    }
}

// MARK: The file

extension FileDescriptor {
    /// Syncs the file, or a directory's entries, to the disk.
    ///
    /// Not repeated after any error, because a second call would succeed without the pages that the first has lost.
    public func sync() throws(SystemError) {
        guard fsync(rawValue) == 0 else { throw SystemError("fsync") }
    }

    /// Syncs the content and what reading it needs to the disk; like `sync`, not repeated.
    public func syncContent() throws(SystemError) {
        guard fdatasync(rawValue) == 0 else { throw SystemError("fdatasync") }
    }

    /// Makes the system start to write new bytes to the disk, without waiting for it: a hint.
    public func beginWriteOut() {
        divan_begin_write_out(rawValue)
    }

    /// Changes the length of the file.
    public func truncate(to byteCount: Int) throws(SystemError) {
        try checked("ftruncate") { ftruncate(rawValue, byteCount) }
    }

    /// Changes the permissions, whatever the process masks.
    public func setPermissions(_ permissions: UInt32) throws(SystemError) {
        try checked("fchmod") { fchmod(rawValue, mode_t(permissions)) }
    }

    /// Changes the group, and the owner unless `owner` is `nil`.
    public func setOwner(_ owner: UInt32?, group: UInt32) throws(SystemError) {
        try checked("fchown") { fchown(rawValue, owner ?? uid_t.max, group) }
    }

    /// Takes the lock of the file (`flock`), which ends when it is closed.
    ///
    /// - Throws: `wouldBlock` if another process has it and `waits` is false.
    public func lock(waits: Bool) throws(SystemError) {
        try checked("flock") { flock(rawValue, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
    }
}
