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
        let draft = try located(file) { () throws(SystemError) in try Draft(of: place) }
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
        /// Whether it is a device.
        var isSpecial = false

        var directory: String {
            let parent = (path as NSString).deletingLastPathComponent
            return parent.isEmpty ? "." : parent
        }

        init(_ file: URL) throws {
            try requireFile(file)
            path = file.path(percentEncoded: false)
            guard !path.hasSuffix("/") else { throw Self.refusal(path, "it is a directory") }
            if let status = try? FileStatus(of: path) {
                switch status.kind {
                case .directory: throw Self.refusal(path, "it is a directory")
                case .regular: break
                case .device: isSpecial = true
                default: throw Self.refusal(path, "it is a pipe or a socket")
                }
                former = isSpecial ? nil : status
                // Only the system knows whether the file may be written; a replacement needs no right to it.
                let opened = try located(file) { () throws(SystemError) in
                    try FileDescriptor.open(
                        path,
                        [.writeOnly, .closeOnExec, .noControllingTerminal]
                    )
                }
                opened.close()
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
            guard !isSpecial, let target = try? FileSystem.realPath(path) else { return }
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

    /// The content before it gets its name; without a name, if the file system supports that.
    private final class Draft {
        let descriptor: FileDescriptor
        private let place: Place
        private var name: String?

        init(of place: Place) throws(SystemError) {
            self.place = place
            let flags: FileDescriptor.OpenFlags = [.writeOnly, .closeOnExec]
            if place.isSpecial {
                descriptor = try .open(place.path, flags.union(.noControllingTerminal))
                return
            }
            let mode: UInt32 = place.former == nil ? 0o666 : 0o600
            let unnamed = try? FileDescriptor.open(
                place.directory,
                flags.union(.unnamed),
                permissions: mode
            )
            if let unnamed, FileSystem.isAccessible(Self.link(to: unnamed)) {
                descriptor = unnamed
            } else {
                unnamed?.close()
                let name = FileSystem.draftPath(in: place.directory)
                descriptor = try .open(
                    name,
                    flags.union([.create, .exclusive, .noFollow]),
                    permissions: mode
                )
                self.name = name
            }
            if let former = place.former { takeOver(former) }
        }

        /// Through this path, an unnamed file gets its name; without `/proc`, it cannot get one.
        private static func link(to descriptor: FileDescriptor) -> String {
            "/proc/self/fd/\(descriptor.rawValue)"
        }

        deinit {
            descriptor.close()
            if let name { try? FileSystem.removeFile(name) }
        }

        /// The owner and the permissions of the file that is replaced.
        private func takeOver(_ former: FileStatus) {
            var mode = former.permissions & 0o777
            if (try? descriptor.setOwner(former.owner, group: former.group)) == nil,
                (try? descriptor.setOwner(nil, group: former.group)) == nil
            {
                // The rights of its group must not pass to another one.
                mode &= ~0o070
            }
            try? descriptor.setPermissions(mode)
        }

        func finish(isDurable: Bool) throws(SystemError) {
            guard !place.isSpecial else { return }
            if isDurable { try descriptor.sync() }
            if name == nil {
                let name = FileSystem.draftPath(in: place.directory)
                try FileSystem.link(descriptor, to: name)
                self.name = name
            }
            if let name { try FileSystem.rename(name, to: place.path) }
            name = nil
            // A directory that may be written but not read cannot be synced.
            guard isDurable,
                let directory = try? FileDescriptor.open(
                    place.directory,
                    [.readOnly, .directory, .closeOnExec]
                )
            else { return }
            defer { directory.close() }
            do {
                try directory.sync()
            } catch {
                if error.errno != .invalidArgument { throw error }
            }
        }
    }
}
