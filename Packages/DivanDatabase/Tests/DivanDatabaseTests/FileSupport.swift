import DivanPlatform
import Testing

/// Names in a directory, sorted.
func entries(_ directory: String) throws -> [String] {
    try FileSystem.names(in: directory).sorted()
}

/// Writes a whole file, or overwrites it.
func write(_ bytes: [UInt8], to path: String) throws {
    let flags: FileDescriptor.OpenFlags = [.writeOnly, .create, .truncate]
    let file = try FileDescriptor.open(path, flags, permissions: 0o666)
    defer { file.close() }
    try file.writeAll(bytes)
}

/// Reads a whole file.
func contents(_ path: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    defer { file.close() }
    return try #require(try file.readAll())
}

/// Replaces a file by a symbolic link.
func replaceWithLink(_ path: String, to target: String) throws {
    try FileSystem.removeFile(path)
    try FileSystem.symbolicLink(path, to: target)
}
