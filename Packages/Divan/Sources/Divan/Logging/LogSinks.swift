/// Where log messages go, process-wide: the console from warnings up, until set otherwise.
///
/// Safe from any thread.
///
/// Source: `api-map.md` §16; `behaviour.md` §17.
public final class LogSinks {
    private init() {}

    /// Standard error; warnings and errors unless set.
    ///
    /// Setting it undoes what `Database.setLogLevel(_:domain:)` said before.
    public static var console: ConsoleLogSink? {
        get { LogConfiguration.shared.current.console }
        set {
            LogConfiguration.shared.update { settings in
                settings.console = newValue
                settings.consoleLevels = [:]
            }
        }
    }

    /// Rotating files; off unless set.
    ///
    /// When the directory cannot be written to, an error is logged to the other sinks. Setting a
    /// sink with the same directory goes on in the files that are open.
    public static var file: FileLogSink? {
        get { LogConfiguration.shared.current.file }
        set { LogConfiguration.shared.update { $0.file = newValue } }
    }

    /// The application's own sink; off unless set.
    public static var custom: CustomLogSink? {
        get { LogConfiguration.shared.current.custom }
        set { LogConfiguration.shared.update { $0.custom = newValue } }
    }
}

/// Log messages on standard error.
public struct ConsoleLogSink: Sendable {
    /// The least level that is written.
    public let level: LogLevel
    /// The domains that are written.
    public let domains: LogDomains

    /// Creates a sink.
    public init(level: LogLevel, domains: LogDomains = .all) {
        self.level = level
        self.domains = domains
    }
}

/// Log messages in files, one file a level, replaced when they grow too long.
///
/// Files are plain text always; the official SDK's binary form is not written.
public struct FileLogSink: Sendable, Equatable {
    /// What ``usePlaintext`` says unless told otherwise; files are plain text either way.
    public static let defaultUsePlaintext = false
    /// Files of each level that stay unless told otherwise.
    public static let defaultMaxKeptFiles: Int32 = 2
    /// Bytes in one file unless told otherwise.
    public static let defaultMaxSize: Int64 = 524_288

    /// The least level that is kept.
    public let level: LogLevel
    /// The directory; created when it is missing, readable by this user only.
    public let directory: String
    /// Accepted for source compatibility; files are plain text always.
    public let usePlaintext: Bool
    /// Files of each level that stay, the current one included.
    public let maxKeptFiles: Int32
    /// Bytes in one file before the next begins; at least 1024.
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

    /// Creates a sink, with the number of files in the type that it has in release 4.
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

/// Log messages for the application's own code.
public struct CustomLogSink: Sendable {
    /// The least level that is wanted.
    public let level: LogLevel
    /// The domains that are wanted.
    public let domains: LogDomains
    /// Who is called.
    public let logSink: any LogSinkProtocol

    /// Creates a sink for every domain.
    public init(level: LogLevel, logSink: any LogSinkProtocol) {
        self.init(level: level, domains: .all, logSink: logSink)
    }

    /// Creates a sink.
    public init(level: LogLevel, domains: LogDomains, logSink: any LogSinkProtocol) {
        self.level = level
        self.domains = domains
        self.logSink = logSink
    }
}

/// Takes log messages.
///
/// `Sendable`, as it is called from any thread. Swift 5 source compiles as it is.
@preconcurrency
public protocol LogSinkProtocol: Sendable {
    /// Takes one message of the sink's level and domains.
    ///
    /// Called on the thread that logged, from any thread and several at once; it must not call
    /// back into this library.
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}
