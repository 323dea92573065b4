internal import CDivanStore
internal import Glibc

/// The system calls that write a blob to the disk, and read it; tests make each of them fail.
///
/// Each returns what the system call does, with `errno` set after a failure.
struct BlobCalls: Sendable {
    /// `open(2)` of an existing file.
    var open: @Sendable (String, Int32) -> Int32
    /// `pread(2)`.
    var read: @Sendable (Int32, UnsafeMutableRawBufferPointer, Int) -> Int
    /// `write(2)`.
    var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    /// `fchmod(2)`.
    var changeMode: @Sendable (Int32, mode_t) -> Int32
    /// `rename(2)`.
    var rename: @Sendable (String, String) -> Int32
    /// `fdatasync(2)`: one file, or the names in a directory.
    var sync: @Sendable (Int32) -> Int32
    /// `syncfs(2)`: every file of the file system that holds this one.
    var syncAll: @Sendable (Int32) -> Int32

    /// The system itself.
    static let system = BlobCalls(
        open: { Glibc.open($0, $1) },
        read: { pread($0, $1.baseAddress, $1.count, off_t($2)) },
        write: { Glibc.write($0, $1.baseAddress, $1.count) },
        changeMode: { fchmod($0, $1) },
        rename: { Glibc.rename($0, $1) },
        sync: { fdatasync($0) },
        syncAll: { divan_sync_file_system($0) }
    )
}
