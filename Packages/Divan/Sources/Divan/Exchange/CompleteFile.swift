internal import DivanPlatform
internal import Foundation

/// Writes files that get their name when they are complete, so that an error or a kill leaves the previous file.
enum CompleteFile {
    /// Creates or replaces a file with the bytes that `body` passes to its argument.
    ///
    /// A replaced file passes on its owner and permissions, and symbolic links are followed. Devices are written to as
    /// they are. Pipes are refused: a program without a reader would wait, and a reader that ends would kill it.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - isDurable: Whether the file is on the disk when the call returns.
    ///   - body: Writes the content.
    /// - Returns: The result of `body`.
    /// - Throws: ``DivanError`` for file system errors; errors of `body`, unchanged.
    static func write<Output>(
        _ file: URL,
        isDurable: Bool,
        _ body: (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Output
    ) throws -> Output {
        let place = try Place(file)
        if let device = place.device {
            defer { device.close() }
            return try body { bytes in
                try located(file) { () throws(SystemError) in try device.writeAll(bytes) }
            }
        }
        let draft = try located(file) { () throws(SystemError) in
            try FileDraft(of: place.path, replacing: place.former)
        }
        let output = try body { bytes in
            try located(file) { () throws(SystemError) in try draft.descriptor.writeAll(bytes) }
        }
        try located(file) { () throws(SystemError) in try draft.finish(isDurable: isDurable) }
        return output
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

    /// Reports errors of the system at the file.
    private static func located<Output>(
        _ file: URL,
        _ body: () throws(SystemError) -> Output
    ) throws -> Output {
        do throws(SystemError) {
            return try body()
        } catch {
            throw DivanError(error, place: file.path)
        }
    }

    /// Where the bytes go.
    private struct Place {
        /// The path without a symbolic link at its end.
        var path: String
        /// The plain file that is replaced.
        var former: FileStatus?
        /// A device, opened for writing.
        var device: FileDescriptor?

        init(_ file: URL) throws {
            try requireFile(file)
            path = file.path(percentEncoded: false)
            guard !path.hasSuffix("/") else { throw Self.refusal(path, "it is a directory") }
            if let status = try? FileStatus(of: path) {
                switch status.kind {
                case .directory: throw Self.refusal(path, "it is a directory")
                case .regular, .device: break
                default: throw Self.refusal(path, "it is a pipe or a socket")
                }
                // Only the system knows whether the file may be written; a replacement needs no right to it.
                let opened = try located(file) { () throws(SystemError) in
                    try FileDescriptor.open(
                        path,
                        [.writeOnly, .closeOnExec, .noControllingTerminal]
                    )
                }
                guard status.kind == .regular else {
                    device = opened
                    return
                }
                opened.close()
                former = status
            } else if (try? FileStatus(of: path, followingLinks: false))?.kind == .symbolicLink {
                // Its target does not exist yet.
                let made = try located(file) { () throws(SystemError) in
                    try FileDescriptor.open(
                        path,
                        [.writeOnly, .create, .closeOnExec],
                        permissions: 0o666
                    )
                }
                made.close()
            } else {
                return
            }
            guard let target = try? FileSystem.realPath(path) else { return }
            path = target
            // The new file only showed the path; the draft gets this name when it is complete.
            if former == nil { try? FileSystem.removeFile(target) }
        }

        private static func refusal(_ path: String, _ problem: String) -> DivanError {
            DivanError(
                .invalidArgument,
                place: path,
                problem: problem,
                remedy: "name a file"
            )
        }
    }
}
