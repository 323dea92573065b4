import DivanPlatform

/// The open, locked file of a log.
struct AuditFile {
    /// What a file contains.
    enum Content {
        case empty
        /// Lines; the bytes after the last one belong to an incomplete line.
        case lines(last: AuditLine, incompleteByteCount: Int)
    }

    let path: String
    let descriptor: FileDescriptor
    /// Bytes of all complete lines.
    var byteCount: Int
    /// Whether the file may contain a part of a line after these.
    var isTorn = false
    /// Whether lines were written since the last sync.
    var needsSync = false

    /// Opens or creates a file, and locks it.
    ///
    /// - Throws: `AuditError` if it is not a regular file, or in use. It is unchanged then.
    init(_ path: String) throws(AuditError) {
        self.path = path
        do {
            descriptor = try .open(
                path,
                [.readWrite, .create, .append, .closeOnExec, .noFollow, .nonBlocking],
                permissions: 0o600
            )
        } catch {
            throw AuditError(path, error)
        }
        do throws(AuditError) {
            byteCount = try Self.lock(descriptor, path)
        } catch {
            descriptor.close()
            throw error
        }
    }

    /// Locks an open file.
    ///
    /// - Returns: Its size in bytes.
    private static func lock(
        _ descriptor: FileDescriptor,
        _ path: String
    ) throws(AuditError) -> Int {
        let status: FileStatus
        do {
            try descriptor.lock(waits: false)
            status = try descriptor.status()
        } catch {
            throw AuditError(path, error.errno == .wouldBlock ? .inUse : .system(error))
        }
        guard status.kind == .regular else { throw AuditError(path, .notRegular) }
        return status.byteCount
    }

    /// Whether the path still refers to this file.
    var isAtPath: Bool {
        guard let current = try? FileStatus(of: path, followingLinks: false),
            let own = try? descriptor.status()
        else { return false }
        return current.isSameFile(as: own)
    }

    /// Reads the start and the end of the file, and checks that they fit a log with this key.
    ///
    /// - Throws: `AuditError` if they do not.
    func content(_ chain: AuditChain) throws(AuditError) -> Content {
        guard byteCount > 0 else { return .empty }
        let head = try read(from: 0, byteCount: AuditLimits.lineByteCount + 1)
        guard head.starts(with: AuditLine.mark) else {
            throw AuditError(path, .misfit(.notAuditLog))
        }
        guard let lineEnd = head.firstIndex(of: UInt8(ascii: "\n")) else {
            guard byteCount <= AuditLimits.lineByteCount else { throw AuditError(path, .changed) }
            // A part of the first line: the mark shows that no other program wrote it.
            return .empty
        }
        guard let first = AuditLine(Array(head[..<lineEnd])) else {
            throw AuditError(path, .misfit(.notAuditLog))
        }
        if let misfit = first.misfit(chain) { throw AuditError(path, .misfit(misfit)) }
        guard fits(first, after: first.continuedCode ?? .none, chain) else {
            throw AuditError(path, .changed)
        }
        return try end(chain)
    }

    /// Reads the last two lines.
    private func end(_ chain: AuditChain) throws(AuditError) -> Content {
        // Two lines, an incomplete one, and the line end before them.
        let tailByteCount = min(byteCount, 3 * (AuditLimits.lineByteCount + 1) + 1)
        let tail = try read(from: byteCount - tailByteCount, byteCount: tailByteCount)
        let pieces = tail.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let incompleteByteCount = pieces.last?.count ?? 0
        let lines = pieces.dropLast().suffix(2).map { AuditLine(Array($0)) }
        guard incompleteByteCount <= AuditLimits.lineByteCount, let last = lines.last ?? nil else {
            throw AuditError(path, .changed)
        }
        let isOnlyLine = lines.count == 1 && tailByteCount == byteCount
        if !isOnlyLine {
            guard lines.count == 2, let before = lines[0], fits(last, after: before.code, chain),
                last.number == before.number + 1
            else { throw AuditError(path, .changed) }
        }
        return .lines(last: last, incompleteByteCount: incompleteByteCount)
    }

    private func fits(_ line: AuditLine, after code: AuditCode, _ chain: AuditChain) -> Bool {
        chain.code(of: line.content.span, after: code) == line.code
    }

    private func read(from offset: Int, byteCount: Int) throws(AuditError) -> [UInt8] {
        do {
            try descriptor.seek(to: offset)
            var bytes: [UInt8] = []
            while bytes.count < byteCount,
                case let piece = try descriptor.read(upTo: byteCount - bytes.count), !piece.isEmpty
            {
                bytes += piece
            }
            return bytes
        } catch {
            throw AuditError(path, .system(error))
        }
    }

    /// Removes what follows the complete lines.
    mutating func removeIncompleteLine() throws(SystemError) {
        if try descriptor.status().byteCount > byteCount {
            try descriptor.truncate(to: byteCount)
        }
        isTorn = false
    }

    /// Appends a line; after an error, `isTorn` is true if a part of it may be in the file.
    mutating func append(_ bytes: [UInt8]) throws(SystemError) {
        if isTorn { try removeIncompleteLine() }
        isTorn = true
        do {
            try descriptor.writeAll(bytes)
        } catch {
            try? removeIncompleteLine()
            throw error
        }
        isTorn = false
        byteCount += bytes.count
        needsSync = true
    }
}
