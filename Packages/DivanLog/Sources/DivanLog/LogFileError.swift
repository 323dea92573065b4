import DivanPlatform

/// An error in the creation of a log file or its directory.
public struct LogFileError: Error, Equatable, Sendable {
    /// The path that could not be created.
    public let path: String
    /// The system's reason (`errno`).
    public let errorNumber: Int32
}

extension LogFileError: LogRepresentable {}

extension LogFileError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        let reason = Errno(errorNumber).text
        return "log file \(escapedForLog(path)): \(reason); choose a writable directory"
    }
}
