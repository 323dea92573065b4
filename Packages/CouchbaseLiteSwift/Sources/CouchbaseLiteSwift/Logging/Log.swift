import DivanLog

/// Writes messages to the log sinks.
///
/// Also has the older logging settings, `Database.log`; new code uses ``LogSinks``.
///
/// Both change the same settings.
public final class Log: Sendable {
    /// Messages on standard error.
    @available(*, deprecated, message: "Use LogSinks.console.")
    public let console = ConsoleLogger()
    /// Messages in files.
    @available(*, deprecated, message: "Use LogSinks.file.")
    public let file = FileLogger()

    /// A custom logger; its level is read once, when it is set.
    @available(*, deprecated, message: "Use LogSinks.custom.")
    public var custom: (any Logger)? {
        get { (LogSinks.custom?.logSink as? LoggerSink)?.logger }
        set { LogSinks.custom = newValue.map { LoggerSink.sink(for: $0) } }
    }

    init() {}

    /// Writes a message to every sink for its level and domain, even before a database is opened.
    public static func log(domain: LogDomain, level: LogLevel, message: String) {
        LogConfiguration.shared.installSinks()
        LogRouter.shared.route(
            LogEntry(level: level.inner, domain: domain.inner, message: message)
        )
    }
}

/// Messages on standard error.
@available(*, deprecated, message: "Use LogSinks.console.")
public final class ConsoleLogger: Sendable {
    /// The lowest level that is logged; `.warning` by default.
    public var level: LogLevel {
        get { LogSinks.console?.level ?? .none }
        set { LogSinks.console = ConsoleLogSink(level: newValue, domains: domains) }
    }

    /// The domains that are logged; all by default.
    public var domains: LogDomains {
        get { LogSinks.console?.domains ?? .all }
        set { LogSinks.console = ConsoleLogSink(level: level, domains: newValue) }
    }

    init() {}
}

/// Messages in files; disabled until both properties are set.
@available(*, deprecated, message: "Use LogSinks.file.")
public final class FileLogger: Sendable {
    /// The directory and sizes, or `nil` for no log files.
    public var config: LogFileConfiguration? {
        get { LogSinks.file.map { LogFileConfiguration($0) } }
        set {
            let level = level
            LogSinks.file = newValue.map { $0.sink(level: level) }
        }
    }

    /// The lowest level that is logged; `.none` by default.
    public var level: LogLevel {
        get {
            let settings = LogConfiguration.shared.current
            return settings.file?.level ?? settings.fileLevel
        }
        set {
            let file = config.map { $0.sink(level: newValue) }
            LogConfiguration.shared.update { settings in
                settings.fileLevel = newValue
                settings.file = file
            }
        }
    }

    init() {}
}

/// The directory and sizes of log files.
@available(*, deprecated, message: "Use FileLogSink.")
public final class LogFileConfiguration {
    /// The default of ``usePlainText``.
    public static let defaultUsePlaintext = false
    /// The older spelling of ``defaultUsePlaintext``.
    public static let defaultUsePlainText = false
    /// 512 KiB.
    public static let defaultMaxSize: UInt64 = 524_288
    /// One old file.
    public static let defaultMaxRotateCount = 1

    /// The directory.
    public let directory: String
    /// Accepted for source compatibility; files are always plain text.
    public var usePlainText = LogFileConfiguration.defaultUsePlaintext
    /// Maximum size of a file in bytes, before the next one is started.
    public var maxSize = LogFileConfiguration.defaultMaxSize
    /// Old files of each level to keep, in addition to the current one.
    public var maxRotateCount = LogFileConfiguration.defaultMaxRotateCount

    /// Creates settings for a directory.
    public init(directory: String) {
        self.directory = directory
    }

    init(_ sink: FileLogSink) {
        directory = sink.directory
        usePlainText = sink.usePlaintext
        maxSize = UInt64(clamping: sink.maxFileSize)
        maxRotateCount = max(0, Int(sink.maxKeptFiles) - 1)
    }

    func sink(level: LogLevel) -> FileLogSink {
        FileLogSink(
            level: level,
            directory: directory,
            usePlainText: usePlainText,
            maxKeptFiles: Int32(clamping: min(max(0, maxRotateCount), 1_000_000) + 1),
            maxFileSize: Int64(clamping: maxSize)
        )
    }
}

/// A custom logger.
@available(*, deprecated, message: "Use LogSinkProtocol.")
public protocol Logger {
    /// The lowest level to log.
    var level: LogLevel { get }

    /// Logs one message; may be called from several threads at once.
    func log(level: LogLevel, domain: LogDomain, message: String)
}

/// Adapts an old logger to a sink.
@available(*, deprecated)
private struct LoggerSink: LogSinkProtocol, @unchecked Sendable {
    // Unchecked: the logger is only called, and its protocol requires that it can be called from several threads at
    // once. It is not `Sendable` itself, so that old classes compile.
    let logger: any Logger

    static func sink(for logger: any Logger) -> CustomLogSink {
        CustomLogSink(level: logger.level, logSink: LoggerSink(logger: logger))
    }

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        logger.log(level: level, domain: domain, message: message)
    }
}
