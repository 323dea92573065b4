/// How important an entry is, in ascending order; a sink receives its own level and above.
///
/// Source: `behaviour.md` §17.
public enum LogLevel: UInt8, Comparable, Sendable, CaseIterable {
    /// For the developers of this library; such entries exist in debug builds only.
    case debug
    /// Each step, for finding a fault.
    case verbose
    /// What an operator may want to know: started, stopped, connected.
    case info
    /// Something that may lose time or connections, but not data.
    case warning
    /// Something that failed.
    case error
    /// Above every entry: a sink of this level receives nothing.
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
