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
        case drafting(FileDraft)
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
        do {
            state = .drafting(
                try FileDraft(of: target, replacing: place.before, isPrivate: rules.isSecret)
            )
        } catch {
            throw rules.refusal(path, error.errno)
        }
    }

    deinit {
        if case .streaming(let descriptor) = state { descriptor.close() }
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
        do {
            switch state {
            case .drafting(let draft): try draft.descriptor.writeWaiting(bytes)
            case .streaming(let descriptor): try descriptor.writeWaiting(bytes)
            case .ended: break
            }
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
        case .ended: break
        case .streaming(let descriptor): descriptor.close()
        case .drafting(let draft):
            do {
                try draft.finish(isReplacing: rules.isReplacing, isDurable: rules.isSynced)
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
        state = .ended
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
}
