import DivanAudit
import DivanCommandLine
import DivanPlatform

/// The key of an audit log in a file given by the user.
enum AuditKeyFile {
    /// Reads a key: all bytes of the file, without a line end after them.
    ///
    /// - Throws: `Failure` if the file cannot be read, or the key is too short or too long.
    static func read(_ path: String, _ terminal: Terminal) throws(Failure) -> AuditKey {
        var bytes = try IdentityFile.contents(path)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if let status = try? FileStatus(of: path), status.kind == .regular,
            status.permissions & 0o077 != 0
        {
            terminal.warn(
                "other users can read \(path), which contains the key of the audit log; run 'chmod "
                    + "600 \(path.wordForShell)'"
            )
        }
        do {
            return try AuditKey(bytes)
        } catch {
            throw Failure(kind: .invalid, text: "\(path): \(error)")
        }
    }
}

extension Failure {
    /// Explains why a file cannot be used as an audit log.
    init(_ error: AuditError) {
        switch error.reason {
        case .system(let cause): self = .file(error.path, cause.errno)
        // Starting again does not help.
        case .misfit, .notRegular: self.init(kind: .invalid, text: "\(error)")
        case .inUse, .changed, .notEmpty: self.init(kind: .database, text: "\(error)")
        }
    }
}
