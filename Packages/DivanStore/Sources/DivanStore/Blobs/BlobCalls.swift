import DivanPlatform

/// The system calls that write a blob to the disk, and read it; tests make each of them fail.
@_spi(Database) public struct BlobCalls: Sendable {
    /// Opens an existing file.
    var open: @Sendable (String, FileDescriptor.OpenFlags) throws(SystemError) -> FileDescriptor
    /// Reads from a position.
    var read:
        @Sendable (FileDescriptor, UnsafeMutableRawBufferPointer, Int) throws(SystemError) -> Int
    /// Writes at the end.
    var write: @Sendable (FileDescriptor, UnsafeRawBufferPointer) throws(SystemError) -> Int
    /// Changes the permissions.
    var changeMode: @Sendable (FileDescriptor, UInt32) throws(SystemError) -> Void
    /// Renames a file.
    var rename: @Sendable (String, String) throws(SystemError) -> Void
    /// Syncs one file, or the names in a directory.
    var sync: @Sendable (FileDescriptor) throws(SystemError) -> Void
    /// Syncs every file of the file system that holds this one.
    var syncAll: @Sendable (FileDescriptor) throws(SystemError) -> Void

    /// The system itself.
    public static let system = BlobCalls(
        open: { path, flags throws(SystemError) in try FileDescriptor.open(path, flags) },
        read: { file, room, place throws(SystemError) in try file.read(into: room, at: place) },
        write: { file, bytes throws(SystemError) in try file.write(bytes) },
        changeMode: { file, mode throws(SystemError) in try file.setPermissions(mode) },
        rename: { path, target throws(SystemError) in try FileSystem.rename(path, to: target) },
        sync: { file throws(SystemError) in try file.syncContent() },
        syncAll: { file throws(SystemError) in try FileSystem.syncAll(containing: file) }
    )

    /// Writes every byte.
    func writeAll(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try write(file, rest)
            guard count > 0 else { throw SystemError("write", .ioError) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}
