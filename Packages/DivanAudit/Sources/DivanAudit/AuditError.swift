public import DivanPlatform

/// A file that cannot be used as an audit log.
public struct AuditError: Error, Equatable {
    /// Why a file cannot be used.
    public enum Reason: Equatable, Sendable {
        /// The system refused.
        case system(SystemError)
        /// It is a directory, a device, a pipe or a symbolic link.
        case notRegular
        /// Another process, or another log of this process, writes it.
        case inUse
        /// It does not fit this log; it was not changed.
        case misfit(AuditMisfit)
        /// Its last line does not fit the line before, so it was changed; it was not continued.
        case changed
        /// A file to continue in contains something.
        case notEmpty
    }

    /// The file.
    public let path: String
    /// Why it cannot be used.
    public let reason: Reason

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    init(_ path: String, _ error: SystemError) {
        let isLink = error.errno == .tooManySymbolicLinkLevels
        self.init(path, isLink || error.errno == .isDirectory ? .notRegular : .system(error))
    }
}

extension AuditError: CustomStringConvertible {
    /// One line: file, problem, remedy.
    public var description: String {
        let (problem, remedy) = explanation
        return "\(path): \(problem); \(remedy)"
    }

    private var explanation: (problem: String, remedy: String) {
        switch reason {
        case .system(let error): ("\(error)", "check the path and its permissions")
        case .notRegular: ("not a regular file", "use the path of a file, not of a link to it")
        case .inUse: ("another program writes this audit log", "use another file")
        case .misfit(let misfit):
            switch misfit {
            case .notAuditLog, .otherVersion: (misfit.problem, "use a new file")
            case .needsKey: (misfit.problem, "use this key, or a new file")
            case .hasNoKey, .otherKey: (misfit.problem, "use the same key, or a new file")
            }
        case .changed:
            (
                "the end of the audit log was changed",
                "check it with 'divan audit verify', and move it away"
            )
        case .notEmpty: ("the new file of the audit log is not empty", "move it away")
        }
    }
}
