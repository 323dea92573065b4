import Foundation

/// A new directory that is removed with its last reference.
///
/// DivanTestKit has one too, but depends on the package under test.
final class TemporaryDirectory: Sendable {
    /// The directory's absolute path, without a trailing slash.
    let path: String

    init() throws {
        let parent = FileManager.default.temporaryDirectory
        let directory = parent.appendingPathComponent("divan-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        path = directory.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of `name` in the directory; creates nothing.
    func file(_ name: String) -> String { "\(path)/\(name)" }
}
