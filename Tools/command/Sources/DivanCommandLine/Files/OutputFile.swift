import DivanPlatform

/// An output file at a path given by the user: it changes completely, or not at all.
///
/// A plain file is replaced by a synced draft in its directory, which gets the same mode, and the same
/// owner if the system permits. Links are followed and stay; of several hard links, only the
/// named one leads to the new file. Devices, pipes and sockets are written to directly. An unfinished
/// draft disappears, even if the program is killed.
package final class OutputFile {
    /// The guarantees for a file.
    package struct Rules: Sendable {
        /// Whether only the owner may read it, whatever its mode was.
        package var isSecret: Bool
        /// Whether an existing plain file may be replaced.
        package var isReplacing: Bool
        /// Whether it is on the disk when `finish` returns.
        package var isSynced: Bool
        /// Whether it is one of several, so that a failure leaves some of them written.
        package var isOneOfMany: Bool

        /// Sets the guarantees for a file.
        package init(
            isSecret: Bool = false,
            isReplacing: Bool = true,
            isSynced: Bool = true,
            isOneOfMany: Bool = false
        ) {
            self.isSecret = isSecret
            self.isReplacing = isReplacing
            self.isSynced = isSynced
            self.isOneOfMany = isOneOfMany
        }

        /// The failure for a file that is not in its place yet, and could not be written.
        fileprivate func refusal(_ path: String, _ number: Errno) -> Failure {
            .writing(path, number, keeping: !isOneOfMany)
        }
    }

    private enum State {
        /// A file without a name.
        case drafting(FileDescriptor)
        /// A file with a temporary name, if the file system does not support files without one.
        case naming(FileDescriptor, draft: String)
        /// A device, a pipe or a socket.
        case streaming(FileDescriptor)
        case ended
    }

    /// The path as typed.
    package let path: String
    private let rules: Rules
    private let target: String
    private var state = State.ended

    /// Begins to write; nothing is visible before `finish`.
    ///
    /// - Throws: `Failure` if the place cannot be written to.
    package init(_ path: String, _ rules: Rules = Rules()) throws(Failure) {
        self.path = path
        self.rules = rules
        let place = try Place(path, rules)
        target = place.target
        if let stream = place.stream {
            state = .streaming(stream)
            return
        }
        let mode: UInt32 = rules.isSecret || place.before != nil ? 0o600 : 0o666
        state = try Self.draft(in: Self.directory(of: target), mode: mode, path, rules)
        if let before = place.before { takeOver(before) }
    }

    deinit {
        switch state {
        case .drafting(let descriptor), .streaming(let descriptor): descriptor.close()
        case .naming(let descriptor, let draft):
            descriptor.close()
            try? FileSystem.removeFile(draft)
        case .ended: break
        }
    }

    /// Refuses to write if a file with one of these suffixes exists next to it and is not empty:
    /// readers of the file would treat both as one database.
    package func requireNothing(beside endings: [String]) throws(Failure) {
        if case .streaming = state { return }
        for ending in endings {
            guard let status = try? FileStatus(of: target + ending), status.byteCount > 0 else {
                continue
            }
            throw Failure(
                kind: .conflict,
                sentence: "\(path)\(ending) exists, and belongs to another database",
                hint: "choose another name, or remove the file if no program has it open"
            )
        }
    }

    /// Writes a complete file.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        _ rules: Rules = Rules()
    ) throws(Failure) {
        let file = try OutputFile(path, rules)
        try file.write(bytes)
        try file.finish()
    }

    /// Adds bytes.
    package func write(_ bytes: [UInt8]) throws(Failure) {
        guard let descriptor else { return }
        do {
            try descriptor.writeWaiting(bytes)
        } catch {
            throw refused(error.errno)
        }
    }

    private func refused(_ number: Errno) -> Failure {
        if case .streaming = state { return .writing(path, number) }
        return rules.refusal(path, number)
    }

    /// Replaces the file with the written draft.
    package func finish() throws(Failure) {
        switch state {
        case .streaming, .ended: break
        case .drafting(let descriptor):
            try sync(descriptor)
            if !rules.isReplacing {
                try place(FileSystem.link(descriptor, to: target))
            } else {
                let draft = FileSystem.draftPath(in: Self.directory(of: target))
                try place(FileSystem.link(descriptor, to: draft))
                state = .naming(descriptor, draft: draft)
                try place(FileSystem.rename(draft, to: target))
            }
            try syncDirectory()
        case .naming(let descriptor, let draft):
            try sync(descriptor)
            // A link never replaces a file, a rename does.
            if rules.isReplacing {
                try place(FileSystem.rename(draft, to: target))
            } else {
                try place(FileSystem.link(draft, to: target))
                try? FileSystem.removeFile(draft)
            }
            try syncDirectory()
        }
        descriptor?.close()
        state = .ended
    }

    private var descriptor: FileDescriptor? {
        switch state {
        case .drafting(let descriptor), .naming(let descriptor, _), .streaming(let descriptor):
            descriptor
        case .ended: nil
        }
    }

    private func place(_ call: @autoclosure () throws(SystemError) -> Void) throws(Failure) {
        do {
            try call()
        } catch {
            guard error.errno != .fileExists else {
                throw Failure(
                    kind: .conflict,
                    sentence: "\(path) already exists",
                    hint: "choose another name"
                )
            }
            throw refused(error.errno)
        }
    }

    private func sync(_ descriptor: FileDescriptor) throws(Failure) {
        guard rules.isSynced else { return }
        do {
            try descriptor.sync()
        } catch {
            throw refused(error.errno)
        }
    }

    private func syncDirectory() throws(Failure) {
        guard rules.isSynced else { return }
        let path = Self.directory(of: target)
        let flags: FileDescriptor.OpenFlags = [.readOnly, .directory, .closeOnExec]
        // A directory that may be written but not read cannot be synced.
        guard let directory = try? FileDescriptor.open(path, flags) else { return }
        defer { directory.close() }
        do {
            try directory.sync()
        } catch {
            if error.errno != .invalidArgument { throw refused(error.errno) }
        }
    }

    /// Gives the draft the owner and the mode of the file that it replaces.
    private func takeOver(_ before: FileStatus) {
        guard let descriptor else { return }
        var mode = rules.isSecret ? 0o600 : before.permissions & 0o777
        if (try? descriptor.setOwner(before.owner, group: before.group)) == nil,
            (try? descriptor.setOwner(nil, group: before.group)) == nil
        {
            // The rights of the old group must not pass to another group.
            mode &= ~0o070
        }
        try? descriptor.setPermissions(mode)
    }
}

// MARK: - Opening

extension OutputFile {
    /// The real path of the file, and the existing file.
    private struct Place {
        /// The path without links.
        var target: String
        /// The existing plain file.
        var before: FileStatus?
        /// What is written to directly.
        var stream: FileDescriptor?

        init(_ path: String, _ rules: Rules) throws(Failure) {
            target = path
            let kind: FileStatus.Kind
            do {
                kind = try FileStatus(of: path).kind
            } catch {
                guard error.errno == .noSuchFileOrDirectory, rules.isReplacing,
                    let link = try? FileStatus(of: path, followingLinks: false)
                else { return }
                // A dangling link: its target is created.
                kind = link.kind
            }
            guard kind != .directory else { throw .writing(path, .isDirectory) }
            let isPlain = kind == .regular || kind == .symbolicLink
            if isPlain, !rules.isReplacing { return }
            // Opened, though not written to: only the system knows whether that would be permitted.
            var flags: FileDescriptor.OpenFlags = [
                .writeOnly, .closeOnExec, .noControllingTerminal,
            ]
            if kind == .symbolicLink { flags.insert(.create) }
            do {
                let opened = try FileDescriptor.open(path, flags, permissions: 0o666)
                let status = try opened.status()
                guard status.kind == .regular else {
                    stream = opened
                    return
                }
                defer { opened.close() }
                target = try FileSystem.realPath(path)
                before = status
            } catch {
                throw rules.refusal(path, error.errno)
            }
        }
    }

    /// Creates an empty file without a name, or with one if that is not supported.
    private static func draft(
        in directory: String,
        mode: UInt32,
        _ path: String,
        _ rules: Rules
    ) throws(Failure) -> State {
        do {
            let flags: FileDescriptor.OpenFlags = [.unnamed, .writeOnly, .closeOnExec]
            return .drafting(try FileDescriptor.open(directory, flags, permissions: mode))
        } catch {
            let isUnknown = [.notSupported, .isDirectory, .invalidArgument].contains(error.errno)
            guard isUnknown else { throw rules.refusal(path, error.errno) }
        }
        let draft = FileSystem.draftPath(in: directory)
        do {
            let flags: FileDescriptor.OpenFlags = [
                .writeOnly, .create, .exclusive, .noFollow, .closeOnExec,
            ]
            return .naming(
                try FileDescriptor.open(draft, flags, permissions: mode),
                draft: draft
            )
        } catch {
            throw rules.refusal(path, error.errno)
        }
    }

    /// The directory, spelled as in the path: another spelling may lead to another file system.
    static func directory(of path: String) -> String {
        // By bytes, as the system reads it: to Swift, a slash followed by an accent is another character.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
    }
}
