internal import DivanPlatform
internal import Foundation

/// Writes files that get their name when they are complete, so that an error leaves the previous file.
enum CompleteFile {
    /// Creates or replaces a file with what `body` writes.
    ///
    /// A replaced file passes on its permissions, and a symbolic link is followed.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - isDurable: Whether the content is on the disk before the file gets its name.
    ///   - body: Writes to the descriptor.
    /// - Returns: The result of `body`.
    /// - Throws: ``DivanError`` for file system errors; errors of `body`, unchanged.
    static func write<Output>(
        _ file: URL,
        isDurable: Bool,
        _ body: (FileDescriptor) throws -> Output
    ) throws -> Output {
        try requireFile(file)
        let target = file.resolvingSymlinksInPath()
        let path = target.path(percentEncoded: false)
        let directory = target.deletingLastPathComponent().path(percentEncoded: false)
        let draft = FileSystem.draftPath(in: directory.isEmpty ? "." : directory)
        let descriptor = try FileDescriptor.open(
            draft,
            [.writeOnly, .create, .exclusive, .closeOnExec, .noFollow],
            permissions: 0o666
        )
        defer { descriptor.close() }
        do {
            if let former = try? FileStatus(of: path) {
                try descriptor.setPermissions(former.permissions & 0o777)
            }
            let output = try body(descriptor)
            if isDurable { try descriptor.sync() }
            try FileSystem.rename(draft, to: path)
            return output
        } catch {
            try? FileSystem.removeFile(draft)
            throw error
        }
    }

    /// - Throws: ``DivanError/Code/invalidArgument`` for a URL that is not one of a file.
    static func requireFile(_ url: URL) throws {
        guard !url.isFileURL else { return }
        throw DivanError(
            .invalidArgument,
            place: url.absoluteString,
            problem: "it is not a file URL",
            remedy: "use URL(filePath:)"
        )
    }
}
