@_spi(Modern) internal import CouchbaseLiteSwift
public import DivanLog
public import Foundation

/// The log of this process; by default, warnings and errors are written to standard error.
///
/// ```swift
/// Log.consoleLevel = .info
/// Log.sink = Log.Sink(level: .info) { entry in
///     logger.log(level: .init(entry.level), "\(entry.message)", metadata: ["area": "\(entry.area)"])
/// }
/// ```
///
/// Can be used from any thread.
public enum Log {
    /// The importance of a message.
    public enum Level: UInt8, Sendable, Comparable, CaseIterable {
        /// For the library's developers; only in debug builds.
        case debug = 0
        /// Every step.
        case verbose
        /// Events such as started, stopped, connected.
        case info
        /// Problems that may delay work or close connections, without data loss.
        case warning
        /// Failures.
        case error

        /// Orders levels by importance.
        public static func < (first: Level, second: Level) -> Bool {
            first.rawValue < second.rawValue
        }

        var official: CouchbaseLiteSwift.LogLevel {
            CouchbaseLiteSwift.LogLevel(rawValue: rawValue) ?? .error
        }
    }

    /// A message.
    public struct Entry: Sendable, Hashable {
        /// Its importance.
        public let level: Level
        /// The part of the library that it comes from, such as `DB`, `Query`, `Sync`, `Listener`.
        public let area: String
        /// The text, in one line.
        public let message: String

        /// Creates a message, to test what receives one.
        public init(level: Level, area: String, message: String) {
            self.level = level
            self.area = area
            self.message = message
        }
    }

    /// A receiver of messages.
    public struct Sink: Sendable {
        let official: CustomLogSink

        /// Calls a closure for each message of a level or above.
        ///
        /// It is called on the logging thread, on several threads at once: it must return quickly, and must not call
        /// this library.
        public init(level: Level, _ write: @escaping @Sendable (Entry) -> Void) {
            let inner = DivanLog.LogLevel(rawValue: level.rawValue) ?? .error
            official = CustomLogSink(
                ClosureSink(level: inner) { entry in
                    guard let level = Level(rawValue: entry.level.rawValue) else { return }
                    let area = entry.domain.name
                    write(Entry(level: level, area: area, message: entry.message))
                }
            )
        }

        /// Uses a sink of the application; `LogSinkContract` of DivanLog tests one.
        public init(_ sink: any DivanLog.LogSink) {
            official = CustomLogSink(sink)
        }
    }

    /// Log files with rotation, one for each level.
    public struct Files: Sendable, Hashable {
        /// The directory; if missing, it is created, readable only by this user.
        public var directory: URL
        /// The lowest level that is written.
        public var level: Level
        /// The size at which a new file is begun, in bytes; at least 1,024.
        public var maxFileSize: Int
        /// The files of each level to keep, including the current one.
        public var maxFileCount: Int

        /// Describes log files.
        public init(
            in directory: URL,
            level: Level = .info,
            maxFileSize: Int = 512 << 10,
            maxFileCount: Int = 2
        ) {
            self.directory = directory
            self.level = level
            self.maxFileSize = maxFileSize
            self.maxFileCount = maxFileCount
        }
    }

    /// The lowest level that is written to standard error; `nil` writes nothing.
    public static var consoleLevel: Level? {
        get {
            LogSinks.console.flatMap { Level(rawValue: $0.level.rawValue) }
        }
        set { LogSinks.console = newValue.map { ConsoleLogSink(level: $0.official) } }
    }

    /// The log files; `nil`, the default, writes none.
    public static var files: Files? {
        get {
            LogSinks.file.map { sink in
                Files(
                    in: URL(filePath: sink.directory),
                    level: Level(rawValue: sink.level.rawValue) ?? .error,
                    maxFileSize: Int(clamping: sink.maxFileSize),
                    maxFileCount: Int(sink.maxKeptFiles)
                )
            }
        }
        set {
            LogSinks.file = newValue.map { files in
                FileLogSink(
                    level: files.level.official,
                    directory: files.directory.path,
                    usePlainText: true,
                    maxKeptFiles: Int32(clamping: max(1, files.maxFileCount)),
                    maxFileSize: Int64(max(1_024, files.maxFileSize))
                )
            }
        }
    }

    /// How later messages show user data, such as document IDs and names of users; `.none` by default.
    public static var redaction: LogRedaction {
        get { LogSinks.redaction }
        set { LogSinks.redaction = newValue }
    }

    /// The receiver of messages in addition to the console and the files; `nil` for none.
    public static var sink: Sink? {
        get { LogSinks.custom.map { Sink($0) } }
        set { LogSinks.custom = newValue?.official }
    }
}

extension Log.Sink {
    fileprivate init(_ official: CustomLogSink) {
        self.official = official
    }
}
