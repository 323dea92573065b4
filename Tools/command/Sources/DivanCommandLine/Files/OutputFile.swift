import Glibc

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
        fileprivate func refusal(_ path: String, _ number: Int32) -> Failure {
            .writing(path, number, keeping: !isOneOfMany)
        }
    }

    private enum State {
        /// A file without a name.
        case drafting(Int32)
        /// A file with a temporary name, if the file system does not support files without one.
        case naming(Int32, draft: String)
        /// A device, a pipe or a socket.
        case streaming(Int32)
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
        let mode: mode_t = rules.isSecret || place.before != nil ? 0o600 : 0o666
        state = try Self.draft(in: Self.directory(of: target), mode: mode, path, rules)
        if let before = place.before { takeOver(before) }
    }

    deinit {
        switch state {
        case .drafting(let descriptor), .streaming(let descriptor): close(descriptor)
        case .naming(let descriptor, let draft):
            close(descriptor)
            unlink(draft)
        case .ended: break
        }
    }

    /// Refuses to write if a file with one of these suffixes exists next to it and is not empty:
    /// readers of the file would treat both as one database.
    package func requireNothing(beside endings: [String]) throws(Failure) {
        if case .streaming = state { return }
        for ending in endings {
            var status = stat()
            guard stat(target + ending, &status) == 0, status.st_size > 0 else { continue }
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
            try Descriptor.write(bytes, to: descriptor)
        } catch {
            throw refused(error.number)
        }
    }

    private func refused(_ number: Int32) -> Failure {
        if case .streaming = state { return .writing(path, number) }
        return rules.refusal(path, number)
    }

    /// Replaces the file with the written draft.
    package func finish() throws(Failure) {
        switch state {
        case .streaming, .ended: break
        case .drafting(let descriptor):
            try sync(descriptor)
            // The only name of an unnamed open file.
            let own = "/proc/self/fd/\(descriptor)"
            if !rules.isReplacing {
                try place(linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW))
            } else {
                let draft = Self.draftName(in: Self.directory(of: target))
                try place(linkat(AT_FDCWD, own, AT_FDCWD, draft, AT_SYMLINK_FOLLOW))
                state = .naming(descriptor, draft: draft)
                try place(rename(draft, target))
            }
            try syncDirectory()
        case .naming(let descriptor, let draft):
            try sync(descriptor)
            // A link never replaces a file, a rename does.
            try place(rules.isReplacing ? rename(draft, target) : link(draft, target))
            if !rules.isReplacing { unlink(draft) }
            try syncDirectory()
        }
        if let descriptor { close(descriptor) }
        state = .ended
    }

    private var descriptor: Int32? {
        switch state {
        case .drafting(let descriptor), .naming(let descriptor, _), .streaming(let descriptor):
            descriptor
        case .ended: nil
        }
    }

    private func place(_ status: Int32) throws(Failure) {
        if status == 0 { return }
        guard errno != EEXIST else {
            throw Failure(
                kind: .conflict,
                sentence: "\(path) already exists",
                hint: "choose another name"
            )
        }
        throw refused(errno)
    }

    private func sync(_ descriptor: Int32) throws(Failure) {
        if rules.isSynced, fsync(descriptor) != 0 { throw refused(errno) }
    }

    private func syncDirectory() throws(Failure) {
        guard rules.isSynced else { return }
        let directory = open(Self.directory(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A directory that may be written but not read cannot be synced.
        guard directory >= 0 else { return }
        defer { close(directory) }
        if fsync(directory) != 0, errno != EINVAL { throw refused(errno) }
    }

    /// Gives the draft the owner and the mode of the file that it replaces.
    private func takeOver(_ before: stat) {
        guard let descriptor else { return }
        var mode = rules.isSecret ? 0o600 : before.st_mode & 0o777
        if fchown(descriptor, before.st_uid, before.st_gid) != 0,
            fchown(descriptor, uid_t.max, before.st_gid) != 0
        {
            // The rights of the old group must not pass to another group.
            mode &= ~0o070
        }
        fchmod(descriptor, mode)
    }
}

// MARK: - Opening

extension OutputFile {
    /// The real path of the file, and the existing file.
    private struct Place {
        /// The path without links.
        var target: String
        /// The existing plain file.
        var before: stat?
        /// What is written to directly.
        var stream: Int32?

        init(_ path: String, _ rules: Rules) throws(Failure) {
            target = path
            var status = stat()
            if stat(path, &status) != 0 {
                guard errno == ENOENT, lstat(path, &status) == 0, rules.isReplacing else { return }
                // A dangling link: its target is created.
            }
            let kind = status.st_mode & S_IFMT
            guard kind != S_IFDIR else { throw .writing(path, EISDIR) }
            let isPlain = kind == S_IFREG || kind == S_IFLNK
            if isPlain, !rules.isReplacing { return }
            // Opened, though not written to: only the system knows whether that would be permitted.
            let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY
            let opened = open(path, kind == S_IFLNK ? flags | O_CREAT : flags, 0o666)
            guard opened >= 0, fstat(opened, &status) == 0 else {
                throw rules.refusal(path, errno)
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                stream = opened
                return
            }
            defer { close(opened) }
            guard let real = realpath(path, nil) else {
                throw rules.refusal(path, errno)
            }
            defer { free(real) }
            target = String(cString: real)
            before = status
        }
    }

    /// Creates an empty file without a name, or with one if that is not supported.
    private static func draft(
        in directory: String,
        mode: mode_t,
        _ path: String,
        _ rules: Rules
    ) throws(Failure) -> State {
        // O_TMPFILE, which glibc's header composes of several flags.
        let unnamed = 0o20_000_000 | O_DIRECTORY
        let descriptor = open(directory, unnamed | O_WRONLY | O_CLOEXEC, mode)
        if descriptor >= 0 { return .drafting(descriptor) }
        let isUnknown = [EOPNOTSUPP, EISDIR, EINVAL].contains(errno)
        guard isUnknown else { throw rules.refusal(path, errno) }
        let draft = draftName(in: directory)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let named = open(draft, flags, mode)
        guard named >= 0 else { throw rules.refusal(path, errno) }
        return .naming(named, draft: draft)
    }

    /// The directory, spelled as in the path: another spelling may lead to another file system.
    static func directory(of path: String) -> String {
        // By bytes, as the system reads it: to Swift, a slash followed by an accent is another character.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
    }

    /// An unused name for a draft.
    package static func draftName(in directory: String) -> String {
        "\(directory)/.divan-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).tmp"
    }
}
