import DivanPlatform

/// A directory that only its owner may enter, with files that only the owner may read.
///
/// All access goes through one open directory, so nobody can swap it meanwhile; symbolic links are never followed.
struct PrivateDirectory: ~Copyable {
    private let path: String
    private let descriptor: FileDescriptor
    /// Syncs its entries to the disk.
    private let sync: Sync

    typealias Sync = (FileDescriptor) -> Result<Void, SystemError>

    private init(_ path: String, _ descriptor: FileDescriptor, _ sync: @escaping Sync) {
        self.path = path
        self.descriptor = descriptor
        self.sync = sync
    }

    /// Opens a directory, after creating it if `creates` is set.
    ///
    /// Returns `nil` if it does not exist and must not be created. Tests can replace the function that syncs it to
    /// disk.
    ///
    /// - Throws: `CredentialError.Reason.exposed` if other users can access it, or `.file`.
    static func open(
        _ path: String,
        creates: Bool,
        sync: @escaping Sync = { descriptor in
            Result { () throws(SystemError) in try descriptor.sync() }
        }
    ) throws(CredentialError) -> PrivateDirectory? {
        if creates { make(path) }
        let descriptor: FileDescriptor
        do {
            descriptor = try .open(path, [.readOnly, .directory, .noFollow, .closeOnExec])
        } catch {
            if error.errno == .noSuchFileOrDirectory, !creates { return nil }
            throw CredentialError(error, at: path)
        }
        let directory = PrivateDirectory(path, descriptor, sync)
        _ = try checkPrivate(descriptor, path: path)
        return directory
    }

    deinit {
        descriptor.close()
    }

    /// Reads a whole file; `nil` if it does not exist.
    func read(_ name: String) throws(CredentialError) -> [UInt8]? {
        let place = "\(path)/\(name)"
        // O_NONBLOCK: opening a pipe that somebody put there must not block.
        let file: FileDescriptor
        do {
            file = try descriptor.open(name, [.readOnly, .noFollow, .closeOnExec, .nonBlocking])
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw CredentialError(error, at: place)
        }
        defer { file.close() }
        let status = try Self.checkPrivate(file, path: place)
        guard status.kind == .regular else {
            throw CredentialError(.file(path: place, errno: Errno.invalidArgument.rawValue))
        }
        guard status.byteCount <= TLSLimits.fileByteCount else {
            throw CredentialError(
                .tooLarge(byteCount: status.byteCount, limit: TLSLimits.fileByteCount)
            )
        }
        do {
            var bytes: [UInt8] = []
            while bytes.count < status.byteCount {
                let piece = try file.read(upTo: status.byteCount - bytes.count)
                if piece.isEmpty { break }
                bytes += piece
            }
            return bytes
        } catch {
            throw CredentialError(error, at: place)
        }
    }

    /// Creates a file with mode 0600 and syncs it; it appears whole or not at all.
    ///
    /// Returns `false` if the name exists already and must not be replaced.
    ///
    /// - Throws: `.file`, also if the disk does not confirm the name. A new file is removed then; a replacement stays,
    ///   and a power failure may bring the old file back.
    func create(
        _ name: String,
        _ bytes: Span<UInt8>,
        isReplacing: Bool = false
    ) throws(CredentialError) -> Bool {
        let place = "\(path)/\(name)"
        let draft = ".\(UInt64.random(in: 0...UInt64.max)).tmp"
        do {
            let file = try descriptor.open(
                draft,
                [.writeOnly, .create, .exclusive, .noFollow, .closeOnExec],
                permissions: 0o600
            )
            defer { try? FileSystem.removeFile(draft, in: descriptor) }
            try Self.write(bytes, to: file)
            // A link never replaces a file; a rename does.
            if isReplacing {
                try FileSystem.rename(draft, to: name, in: descriptor)
            } else {
                try FileSystem.link(draft, to: name, in: descriptor)
            }
        } catch {
            if error.errno == .fileExists { return false }
            throw CredentialError(error, at: place)
        }
        do {
            try syncNames()
        } catch {
            if !isReplacing { try? FileSystem.removeFile(name, in: descriptor) }
            throw CredentialError(error, at: place)
        }
        return true
    }

    /// Removes a file; one that does not exist is no error.
    ///
    /// - Throws: `.file`, also if a power failure may bring the file back.
    func remove(_ name: String) throws(CredentialError) {
        do {
            try FileSystem.removeFile(name, in: descriptor)
            try syncNames()
        } catch {
            guard error.errno != .noSuchFileOrDirectory else { return }
            throw CredentialError(error, at: "\(path)/\(name)")
        }
    }

    /// Syncs the names to the disk.
    private func syncNames() throws(SystemError) {
        do {
            try sync(descriptor).get()
        } catch {
            // Not every file system supports this; one that does not has not failed.
            if error.errno != .invalidArgument { throw error }
        }
    }

    /// The names of all entries except `.` and `..`, in no particular order.
    func names() throws(CredentialError) -> [String] {
        do {
            return try FileSystem.names(in: descriptor)
        } catch {
            throw CredentialError(error, at: path)
        }
    }

    /// Creates the directory and its missing parents with mode 0700; `open` reports failures.
    private static func make(_ path: String) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part
            try? FileSystem.makeDirectory(made)
            made += "/"
        }
    }

    private static func checkPrivate(
        _ descriptor: FileDescriptor,
        path: String
    ) throws(CredentialError) -> FileStatus {
        let status: FileStatus
        do {
            status = try descriptor.status()
        } catch {
            throw CredentialError(error, at: path)
        }
        guard status.permissions & 0o077 == 0, status.owner == CurrentProcess.effectiveUser else {
            throw CredentialError(.exposed(path: path, mode: status.permissions))
        }
        return status
    }

    /// Writes, syncs and closes.
    private static func write(_ bytes: Span<UInt8>, to file: FileDescriptor) throws(SystemError) {
        defer { file.close() }
        try? file.setPermissions(0o600)  // whatever the process masks
        try file.writeAll(bytes)
        try file.sync()
    }
}

extension CredentialError {
    /// A file operation that failed.
    fileprivate init(_ error: SystemError, at path: String) {
        self.init(.file(path: path, errno: error.errno.rawValue))
    }
}
