/// A file that is written without a name, and gets its name when it is complete.
///
/// An error or a kill therefore leaves the previous file. On file systems that do not support files without a name, it
/// has a temporary one, which remains after a kill.
public final class FileDraft {
    /// The file, for writing; closed with the draft.
    public let descriptor: FileDescriptor
    private let path: String
    private var name: String?

    private var directory: String { FileSystem.directory(of: path) }

    /// Creates an empty file in the directory of `path`.
    ///
    /// - Parameters:
    ///   - path: Where the complete file will be; not a link, as that would be replaced.
    ///   - former: The file that is replaced, whose permissions and owner the new one gets if the system permits that.
    ///   - isPrivate: Whether only the owner may read and write the file, whatever the permissions of `former`.
    /// - Throws: `SystemError` if the directory cannot be written to.
    public init(
        of path: String,
        replacing former: FileStatus? = nil,
        isPrivate: Bool = false
    ) throws(SystemError) {
        self.path = path
        let directory = FileSystem.directory(of: path)
        let flags: FileDescriptor.OpenFlags = [.writeOnly, .closeOnExec]
        let mode: UInt32 = isPrivate || former != nil ? 0o600 : 0o666
        let unnamed = try? FileDescriptor.open(directory, flags.union(.unnamed), permissions: mode)
        if let unnamed, FileSystem.isAccessible(unnamed.linkPath) {
            descriptor = unnamed
        } else {
            unnamed?.close()
            let name = FileSystem.draftPath(in: directory)
            descriptor = try .open(
                name,
                flags.union([.create, .exclusive, .noFollow]),
                permissions: mode
            )
            self.name = name
        }
        if let former { takeOver(former, isPrivate: isPrivate) }
    }

    deinit {
        descriptor.close()
        if let name { try? FileSystem.removeFile(name) }
    }

    private func takeOver(_ former: FileStatus, isPrivate: Bool) {
        var mode = isPrivate ? 0o600 : former.permissions & 0o777
        if (try? descriptor.setOwner(former.owner, group: former.group)) == nil,
            (try? descriptor.setOwner(nil, group: former.group)) == nil
        {
            // The rights of the old group must not pass to another group.
            mode &= ~0o070
        }
        try? descriptor.setPermissions(mode)
    }

    /// Moves the complete file to its path; nothing may be written afterwards.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether it may replace an existing file.
    ///   - isDurable: Whether the file is on the disk when the call returns.
    /// - Throws: `SystemError`; `fileExists` if it must not replace an existing file.
    public func finish(isReplacing: Bool = true, isDurable: Bool) throws(SystemError) {
        if isDurable { try descriptor.sync() }
        // A link never replaces a file, a rename does.
        if !isReplacing {
            if let name {
                try FileSystem.link(name, to: path)
            } else {
                try FileSystem.link(descriptor, to: path)
            }
        } else {
            if name == nil {
                let name = FileSystem.draftPath(in: directory)
                try FileSystem.link(descriptor, to: name)
                self.name = name
            }
            if let name { try FileSystem.rename(name, to: path) }
            name = nil
        }
        guard isDurable else { return }
        do {
            try FileSystem.syncDirectory(directory)
        } catch  where [.permissionDenied, .invalidArgument].contains(error.errno) {
            // A directory that may be written but not read cannot be synced, nor can those of some file systems.
        }
    }
}
