import DivanPlatform
import Testing

/// The example of the README.
@Suite struct ReadmeTests {
    @Test func `the README's example writes a file`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("notes")
        let file = try FileDescriptor.open(
            path,
            [.writeOnly, .create, .closeOnExec],
            permissions: 0o600
        )
        defer { file.close() }
        try file.writeAll(Array("hello".utf8))
        try file.sync()
        let status = try FileStatus(of: path)
        #expect(status.byteCount == 5 && status.permissions == 0o600)
    }
}
