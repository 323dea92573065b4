/// The importance of an entry, in ascending order; a sink receives its own level and above.
///
/// Source: `behaviour.md` §17.
public enum LogLevel: UInt8, Comparable, Sendable, CaseIterable {
    /// Information for the developers of this library, only in debug builds.
    case debug
    /// The steps of operations, for troubleshooting.
    case verbose
    /// Information for operators: started, stopped, connected.
    case info
    /// Problems that may cost time or connections, but not data.
    case warning
    /// Failures.
    case error
    /// Above all entries: a sink of this level receives nothing.
    case none

    /// In ascending importance.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The word in a log line: `"Debug"` … `"Error"`, `"None"`.
    public var word: String {
        switch self {
        case .debug: "Debug"
        case .verbose: "Verbose"
        case .info: "Info"
        case .warning: "Warning"
        case .error: "Error"
        case .none: "None"
        }
    }
}
