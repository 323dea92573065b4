public import DivanLog

/// The log sinks of the process; by default, warnings and errors are logged to the console.
///
/// Safe to use from any thread.
///
/// Source: `api-map.md` §16; `behaviour.md` §17.
public final class LogSinks {
    private init() {}

    /// The console (standard error); warnings and errors by default.
    ///
    /// Setting it overrides earlier calls of `Database.setLogLevel(_:domain:)`.
    public static var console: ConsoleLogSink? {
        get { LogConfiguration.shared.current.console }
        set {
            LogConfiguration.shared.update { settings in
                settings.console = newValue
                settings.consoleLevels = [:]
            }
        }
    }

    /// Log files with rotation; disabled by default.
    ///
    /// If the directory cannot be written to, an error is logged to the other sinks. Setting a sink with the same
    /// directory continues with the open files.
    public static var file: FileLogSink? {
        get { LogConfiguration.shared.current.file }
        set { LogConfiguration.shared.update { $0.file = newValue } }
    }

    /// How later messages show user data, such as document IDs and names of users; `.none` by default.
    ///
    /// Applies to all sinks, but not to messages that the application logs. An addition to the official API.
    public static var redaction: LogRedaction {
        get { LogRouter.shared.redaction }
        set { LogRouter.shared.redaction = newValue }
    }

    /// A custom sink of the application; disabled by default.
    public static var custom: CustomLogSink? {
        get { LogConfiguration.shared.current.custom }
        set { LogConfiguration.shared.update { $0.custom = newValue } }
    }
}

/// Log messages on standard error.
public struct ConsoleLogSink: Sendable {
    /// The lowest level that is logged.
    public let level: LogLevel
    /// The domains that are logged.
    public let domains: LogDomains

    /// Creates a sink.
    public init(level: LogLevel, domains: LogDomains = .all) {
        self.level = level
        self.domains = domains
    }
}

/// Log messages in files, one for each level, with rotation.
///
/// Files are always plain text; the official SDK's binary format is not supported.
public struct FileLogSink: Sendable, Equatable {
    /// The default of ``usePlaintext``; files are plain text either way.
    public static let defaultUsePlaintext = false
    /// The default of ``maxKeptFiles``.
    public static let defaultMaxKeptFiles: Int32 = 2
    /// The default of ``maxFileSize``.
    public static let defaultMaxSize: Int64 = 524_288

    /// The lowest level that is logged.
    public let level: LogLevel
    /// The directory; if missing, it is created, readable only by this user.
    public let directory: String
    /// Accepted for source compatibility; files are always plain text.
    public let usePlaintext: Bool
    /// Files of each level to keep, including the current one.
    public let maxKeptFiles: Int32
    /// Maximum size of a file in bytes, before the next one is started; at least 1024.
    public let maxFileSize: Int64

    /// Creates a sink.
    public init(
        level: LogLevel,
        directory: String,
        usePlainText: Bool = defaultUsePlaintext,
        maxKeptFiles: Int32 = defaultMaxKeptFiles,
        maxFileSize: Int64 = defaultMaxSize
    ) {
        self.level = level
        self.directory = directory
        usePlaintext = usePlainText
        self.maxKeptFiles = maxKeptFiles
        self.maxFileSize = maxFileSize
    }

    /// Creates a sink; the number of files has the type of release 4.
    @_disfavoredOverload
    public init(
        level: LogLevel,
        directory: String,
        usePlainText: Bool = defaultUsePlaintext,
        maxKeptFiles: Int,
        maxFileSize: Int64 = defaultMaxSize
    ) {
        self.init(
            level: level,
            directory: directory,
            usePlainText: usePlainText,
            maxKeptFiles: Int32(clamping: maxKeptFiles),
            maxFileSize: maxFileSize
        )
    }
}

/// Log messages for a custom sink of the application.
public struct CustomLogSink: Sendable {
    /// The lowest level to log.
    public let level: LogLevel
    /// The domains to log.
    public let domains: LogDomains
    /// The object that receives the messages.
    public let logSink: any LogSinkProtocol
    /// The adapted sink, which receives entries with their original domain.
    let adapted: (any DivanLog.LogSink)?

    /// Creates a sink for every domain.
    public init(level: LogLevel, logSink: any LogSinkProtocol) {
        self.init(level: level, domains: .all, logSink: logSink)
    }

    /// Creates a sink.
    public init(level: LogLevel, domains: LogDomains, logSink: any LogSinkProtocol) {
        self.level = level
        self.domains = domains
        self.logSink = logSink
        adapted = nil
    }

    /// Creates a sink from an implementation of `LogSink` of DivanLog; `LogSinkContract` tests one.
    ///
    /// Its own level and `accepts(_:)` apply in addition to `domains`. An addition to the official API.
    public init(_ sink: any DivanLog.LogSink, domains: LogDomains = .all) {
        level = LogLevel(sink.level)
        self.domains = domains
        logSink = AdaptedLogSink(sink: sink)
        adapted = sink
    }
}

/// Receives log messages.
///
/// It is `Sendable`, because it is called on any thread. Swift 5 source compiles unchanged.
@preconcurrency
public protocol LogSinkProtocol: Sendable {
    /// Receives one message for the sink's level and domains.
    ///
    /// Called on the logging thread, possibly on several threads at once; it must not call this library.
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}

/// The official form of an adapted sink, for code that reads ``CustomLogSink/logSink``.
private struct AdaptedLogSink: LogSinkProtocol {
    let sink: any DivanLog.LogSink

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        sink.write(LogEntry(level: level.inner, domain: domain.inner, message: message))
    }
}
