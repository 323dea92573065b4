import Testing

// To replace the call that reads a directory.
@testable import DivanPlatform

/// Files and directories, with the errors of each call.
@Suite struct FileTests {
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
    }

    private func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = home.file(name)
        let file = try FileDescriptor.open(path, [.writeOnly, .create], permissions: 0o600)
        defer { file.close() }
        try file.writeAll(bytes)
        return path
    }

    private func refusal(_ body: () throws -> Void) -> SystemError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SystemError
        }
    }

    @Test func `written bytes are read back from any position`() throws {
        let path = try write(Array("hello, disk".utf8), to: "a")
        let file = try FileDescriptor.open(path, [.readWrite, .closeOnExec])
        defer { file.close() }
        #expect(try file.read(upTo: 5) == Array("hello".utf8))
        #expect(try file.readAll(limit: 6) == Array(", disk".utf8))
        #expect(try file.read(upTo: 5).isEmpty, "the end")
        try file.seek(to: 0)
        #expect(try file.readAll(limit: 10) == nil, "more than the limit")
        #expect(try file.seekToEnd() == 11)
        let count = try Array("DISK".utf8).span.withUnsafeBytes { bytes throws(SystemError) in
            try file.write(bytes, at: 7)
        }
        #expect(count == 4)
        var room = [UInt8](repeating: 0, count: 4)
        let found = try room.withUnsafeMutableBytes { try file.read(into: $0, at: 7) }
        #expect(found == 4 && room == Array("DISK".utf8))
        try file.truncate(to: 5)
        #expect(try file.status().byteCount == 5)
        try file.sync()
        try file.syncContent()
    }

    @Test func `opening a file fails if it exists unexpectedly, is missing or is a link`()
        throws
    {
        let path = try write([], to: "a")
        let new: FileDescriptor.OpenFlags = [.writeOnly, .create, .exclusive]
        #expect(
            refusal { _ = try FileDescriptor.open(path, new, permissions: 0o600) }
                == SystemError("open", .fileExists)
        )
        #expect(
            refusal { _ = try FileDescriptor.open(home.file("b"), .readOnly) }
                == SystemError("open", .noSuchFileOrDirectory)
        )
        try FileSystem.symbolicLink(home.file("link"), to: path)
        #expect(
            refusal { _ = try FileDescriptor.open(home.file("link"), .noFollow) }
                == SystemError("open", .tooManySymbolicLinkLevels)
        )
    }

    @Test func `a file status has the kind, permissions, link count and identity`() throws {
        let path = try write([1, 2, 3], to: "a")
        try FileSystem.setPermissions(0o640, of: path)
        try FileSystem.link(path, to: home.file("b"))
        try FileSystem.symbolicLink(home.file("c"), to: path)
        try FileSystem.makePipe(home.file("d"))
        let status = try FileStatus(of: path)
        #expect(status.kind == .regular && status.permissions == 0o640)
        #expect(status.byteCount == 3 && status.linkCount == 2)
        #expect(status.owner == CurrentProcess.effectiveUser)
        #expect(status.isSameFile(as: try FileStatus(of: home.file("b"))))
        #expect(try FileStatus(of: home.file("c")).kind == .regular)
        #expect(try FileStatus(of: home.file("c"), followingLinks: false).kind == .symbolicLink)
        #expect(try FileStatus(of: home.file("d")).kind == .special)
        #expect(try FileStatus(of: home.path).kind == .directory)
        #expect(FileSystem.exists(home.file("c")) && !FileSystem.exists(home.file("e")))
        #expect(
            refusal { _ = try FileStatus(of: home.file("e")) }
                == SystemError("stat", .noSuchFileOrDirectory)
        )
    }

    @Test func `a directory listing contains only the names in the directory`() throws {
        for name in ["x", "y", "ö"] { _ = try write([], to: name) }
        #expect(try FileSystem.names(in: home.path).sorted() == ["x", "y", "ö"])
        let directory = try FileDescriptor.open(home.path, [.readOnly, .directory])
        defer { directory.close() }
        #expect(try FileSystem.names(in: directory).sorted() == ["x", "y", "ö"])
        try FileSystem.rename("x", to: "z", in: directory)
        try FileSystem.link("z", to: "w", in: directory)
        try FileSystem.removeFile("y", in: directory)
        #expect(try FileSystem.names(in: directory).sorted() == ["w", "z", "ö"], "it stays open")
    }

    @Test func `an error while listing a directory is not taken for the end of the list`() throws {
        for name in ["a", "b"] { _ = try write([], to: name) }
        let stream = try FileSystem.open(home.path)
        var count = 0
        let error = refusal {
            _ = try FileSystem.names(of: stream) { stream in
                count += 1
                if count < 3 { return FileSystem.nextName(in: stream) }
                Errno.current = .ioError
                return nil
            }
        }
        #expect(error == SystemError("readdir", .ioError))
    }

    @Test func `a private file is created once, whatever the umask`() throws {
        let path = FileSystem.draftPath(in: home.path)
        #expect(path != FileSystem.draftPath(in: home.path))
        try FileSystem.makePrivateFile(path)?.close()
        let status = try FileStatus(of: path)
        #expect(status.permissions == 0o600 && status.byteCount == 0)
        #expect(try FileSystem.makePrivateFile(path) == nil)
    }

    @Test func `directories are created and removed`() throws {
        let path = home.file("a")
        try FileSystem.makeDirectory(path)
        #expect(try FileStatus(of: path).permissions == 0o700)
        #expect(
            refusal { try FileSystem.makeDirectory(path) } == SystemError("mkdir", .fileExists)
        )
        _ = try write([], to: "a/b")
        #expect(
            refusal { try FileSystem.removeDirectory(path) }
                == SystemError("rmdir", .directoryNotEmpty)
        )
        try FileSystem.removeFile(path + "/b")
        try FileSystem.removeDirectory(path)
        #expect(
            refusal { try FileSystem.removeFile(path) }
                == SystemError("unlink", .noSuchFileOrDirectory)
        )
        let one = try FileSystem.makeTemporaryDirectory(in: home.path, prefix: "t-")
        let other = try FileSystem.makeTemporaryDirectory(in: home.path, prefix: "t-")
        #expect(one != other && one.hasPrefix(home.file("t-")))
        #expect(try FileStatus(of: one).permissions == 0o700)
    }

    @Test func `an unnamed file is linked to a name only if the name is free`() throws {
        let taken = try write([], to: "taken")
        let file = try FileDescriptor.open(
            home.path,
            [.unnamed, .writeOnly],
            permissions: 0o600
        )
        defer { file.close() }
        try file.writeAll([7])
        #expect(refusal { try FileSystem.link(file, to: taken) }?.errno == .fileExists)
        try FileSystem.link(file, to: home.file("new"))
        #expect(try FileStatus(of: home.file("new")).byteCount == 1)
    }

    @Test func `a file lock is exclusive until the file is closed`() throws {
        let path = try write([], to: "lock")
        let (one, other) = (
            try FileDescriptor.open(path, .readOnly), try FileDescriptor.open(path, .readOnly)
        )
        defer { other.close() }
        try one.lock(waits: false)
        #expect(
            refusal { try other.lock(waits: false) } == SystemError("flock", .wouldBlock)
        )
        one.close()
        try other.lock(waits: true)
    }

    @Test func `real paths, access rights and free space are reported`() throws {
        let path = try write([], to: "a")
        try FileSystem.symbolicLink(home.file("b"), to: path)
        #expect(try FileSystem.realPath(home.file("b")) == FileSystem.realPath(path))
        #expect(refusal { _ = try FileSystem.realPath(home.file("c")) }?.call == "realpath")
        #expect(FileSystem.isAccessible(path) && FileSystem.isAccessible(path, .write))
        #expect(!FileSystem.isAccessible(home.file("c")))
        let space = try FileSystem.space(at: home.path)
        #expect(space.total > 0 && space.free <= space.total)
    }

    @Test func `a pipe transfers bytes until its writing end is closed`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { reading.close() }
        try writing.writeAll([1, 2, 3])
        #expect(try reading.wait(for: .reading) == .reading)
        #expect(try reading.read(upTo: 10) == [1, 2, 3])
        reading.setNonBlocking()
        #expect(refusal { _ = try reading.read(upTo: 1) } == SystemError("read", .wouldBlock))
        writing.close()
        #expect(try reading.read(upTo: 10).isEmpty)
        #expect(!reading.isTerminal && reading.isValid && !FileDescriptor.none.isValid)
        #expect(
            refusal { _ = try FileDescriptor.none.read(upTo: 1) }
                == SystemError("read", .badFileDescriptor)
        )
    }
}
