import DivanLog
import Synchronization

/// The process's sinks as set through the public API, kept in sync with the router below.
final class LogConfiguration: Sendable {
    static let shared = LogConfiguration()

    struct Settings: Sendable {
        var console: ConsoleLogSink? = ConsoleLogSink(level: .warning)
        var file: FileLogSink?
        var custom: CustomLogSink?
        /// The level for files, if set through `Database.log` before there is a directory.
        var fileLevel = LogLevel.none
        /// Console levels of single domains, set through the 2.x call.
        var consoleLevels: [LogDomain: LogLevel] = [:]
    }

    private struct State: Sendable {
        var settings = Settings()
        var files: (sink: FileSink, settings: FileLogSink)?
        var isInstalled = false
        var hasMentionedMissingFiles = false
    }

    private let state = Mutex(State())

    var current: Settings { state.withLock { $0.settings } }

    /// Installs the default sinks unless sinks are already installed.
    func installSinks() {
        state.withLock { state in
            if !state.isInstalled { rebuild(&state) }
        }
    }

    /// Installs the default sinks when a database is opened, unless sinks are already installed.
    ///
    /// Says once per process if no logs are kept.
    func install() {
        installSinks()
        let isOff = state.withLock { state in
            guard !state.hasMentionedMissingFiles else { return false }
            state.hasMentionedMissingFiles = true
            return state.settings.file == nil
        }
        guard isOff else { return }
        Journal.database.info(
            "File logging is off; set LogSinks.file to keep logs for support"
        )
    }

    /// Changes the settings and applies them.
    func update(_ change: (inout Settings) -> Void) {
        let failure = state.withLock { state in
            change(&state.settings)
            return rebuild(&state)
        }
        if let failure { Journal.database.error("\(failure)") }
        if let file = current.file, !file.usePlaintext {
            Journal.database.info(
                "Log files in \(file.directory) are plain text; usePlainText: false is ignored"
            )
        }
    }

    @discardableResult
    private func rebuild(_ state: inout State) -> LogFileError? {
        var failure: LogFileError?
        if state.files?.settings != state.settings.file {
            let open = state.files
            state.files = nil
            do throws(LogFileError) {
                state.files = try state.settings.file.map { wanted throws(LogFileError) in
                    (try wanted.makeSink(continuing: open), wanted)
                }
            } catch {
                failure = error
            }
        }
        state.isInstalled = true
        var sinks: [any DivanLog.LogSink] = []
        if let console = state.settings.console {
            sinks.append(LeveledConsole(console, levels: state.settings.consoleLevels))
        }
        if let files = state.files { sinks.append(files.sink) }
        if let custom = state.settings.custom { sinks.append(custom.makeSink()) }
        LogRouter.shared.setSinks(sinks)
        return failure
    }
}

extension FileLogSink {
    /// Creates the sink; it continues with the open files if their directory stays the same.
    fileprivate func makeSink(
        continuing open: (sink: FileSink, settings: FileLogSink)?
    ) throws(LogFileError) -> FileSink {
        let configuration = FileSink.Configuration(
            directory: directory,
            keptFileCount: Int(maxKeptFiles),
            fileByteCount: Int(clamping: maxFileSize),
            product: Self.product
        )
        if let open, open.settings.directory == directory {
            return FileSink(continuing: open.sink, level: level.inner, configuration: configuration)
        }
        return try FileSink(level: level.inner, configuration: configuration)
    }

    /// The line under each file's settings: the three words that tools look for, and a note that the lines below are
    /// text, whatever `usePlainText` says.
    private static let product =
        "CouchbaseLite/3.2-Divan (Swift; Linux) Build/0.1.0 Commit/none, plain text"
}

extension CustomLogSink {
    fileprivate func makeSink() -> any DivanLog.LogSink {
        if let adapted { return DomainSink(inner: adapted, domains: domains) }
        return ClosureSink(level: level.inner) { [self] entry in
            let domain = LogDomain(entry.domain)
            guard domains.contains(domain) else { return }
            logSink.writeLog(
                level: LogLevel(entry.level),
                domain: domain,
                message: entry.message
            )
        }
    }
}

/// An adapted sink, limited to some domains.
private struct DomainSink: DivanLog.LogSink {
    let inner: any DivanLog.LogSink
    let domains: LogDomains

    var level: DivanLog.LogLevel { inner.level }

    func accepts(_ domain: DivanLog.LogDomain) -> Bool {
        domains.contains(LogDomain(domain)) && inner.accepts(domain)
    }

    func write(_ entry: LogEntry) { inner.write(entry) }
}

/// The console, with levels for the domains for which the 2.x call set one.
private struct LeveledConsole: DivanLog.LogSink {
    let level: DivanLog.LogLevel
    private let console: ConsoleSink
    private let settings: ConsoleLogSink
    private let levels: [LogDomain: LogLevel]

    init(_ settings: ConsoleLogSink, levels: [LogDomain: LogLevel]) {
        self.settings = settings
        self.levels = levels
        let inner = levels.values.map(\.inner) + [settings.level.inner]
        level = inner.min() ?? .none
        console = ConsoleSink(level: level)
    }

    func accepts(_ domain: DivanLog.LogDomain) -> Bool {
        let domain = LogDomain(domain)
        return settings.domains.contains(domain) || levels[domain] != nil
    }

    func write(_ entry: LogEntry) {
        let wanted = levels[LogDomain(entry.domain)] ?? settings.level
        if entry.level >= wanted.inner { console.write(entry) }
    }
}
