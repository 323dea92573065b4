import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §16; serialized because the sinks are process-wide.
@Suite(.serialized) struct LoggingDeclarations {
    private final class Sink: LogSinkProtocol {
        func writeLog(level: LogLevel, domain: LogDomain, message: String) {}
    }

    @Test func `levels and domains have their official values`() {
        let levels: [LogLevel] = [.debug, .verbose, .info, .warning, .error, .none]
        #expect(levels.map { $0.rawValue as UInt8 } == [0, 1, 2, 3, 4, 5])
        let domains: [LogDomain] = [
            .database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer,
        ]
        #expect(domains.map { $0.rawValue as UInt } == [1, 2, 4, 8, 16, 32, 64, 512])
        let sets: [LogDomains] = [
            .database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer,
        ]
        #expect(sets.map { $0.rawValue as UInt } == [1, 2, 4, 8, 16, 32, 64, 512])
        #expect(sets.allSatisfy { LogDomains.all.contains($0) })
        #expect(LogDomains(rawValue: 3) == [.database, .query])
        #expect(LogDomains.multipeer.rawValue as UInt == 512)
    }

    @Test func `LogSinks has its official members and defaults`() {
        let _: AnyObject.Type = LogSinks.self
        let before = LogSinks.console
        defer { LogSinks.console = before }
        let console: ConsoleLogSink? = LogSinks.console
        let file: FileLogSink? = LogSinks.file
        let custom: CustomLogSink? = LogSinks.custom
        #expect(console?.level == .warning && console?.domains == .all)
        #expect(file == nil && custom == nil)
        LogSinks.console = ConsoleLogSink(level: .error)
        LogSinks.console = ConsoleLogSink(level: .error, domains: [.replicator, .network])
        #expect(LogSinks.console?.domains == [.replicator, .network])
        LogSinks.console = nil
        #expect(LogSinks.console == nil)
    }

    @Test func `sinks have their official members and defaults`() {
        let _: (LogLevel, LogDomains) -> ConsoleLogSink = ConsoleLogSink.init(level:domains:)
        let _: (LogLevel, String, Bool, Int32, Int64) -> FileLogSink =
            FileLogSink.init(level:directory:usePlainText:maxKeptFiles:maxFileSize:)
        let _: (LogLevel, LogSinkProtocol) -> CustomLogSink = CustomLogSink.init(level:logSink:)
        let _: (LogLevel, LogDomains, LogSinkProtocol) -> CustomLogSink =
            CustomLogSink.init(level:domains:logSink:)
        let file = FileLogSink(level: .info, directory: "/logs")
        #expect(file.level == .info && file.directory == "/logs" && !file.usePlaintext)
        #expect((file.maxKeptFiles as Int32) == 2 && (file.maxFileSize as Int64) == 524_288)
        #expect(FileLogSink(level: .info, directory: "/", usePlainText: true).usePlaintext)
        let kept: Int = 7  // as release 4 has it
        #expect(FileLogSink(level: .info, directory: "/", maxKeptFiles: kept).maxKeptFiles == 7)
        #expect(FileLogSink(level: .info, directory: "/", maxKeptFiles: 3).maxKeptFiles == 3)
        #expect(FileLogSink(level: .info, directory: "/", maxKeptFiles: .max).maxKeptFiles == .max)
        #expect(FileLogSink.defaultUsePlaintext as Bool == false)
        #expect(FileLogSink.defaultMaxKeptFiles as Int32 == 2)
        #expect(FileLogSink.defaultMaxSize as Int64 == 524_288)
        let sink = Sink()
        let custom = CustomLogSink(level: .verbose, domains: .replicator, logSink: sink)
        #expect(custom.level == .verbose && custom.domains == .replicator)
        #expect(custom.logSink as? Sink === sink)
        #expect(CustomLogSink(level: .verbose, logSink: sink).domains == .all)
    }

    @Test func `Log writes messages`() {
        let _: AnyObject.Type = Log.self
        let _: (LogDomain, LogLevel, String) -> Void = Log.log(domain:level:message:)
        Log.log(domain: .multipeer, level: .debug, message: "nobody listens")
    }

    @Test func `Database.log and its properties compile`() throws {
        let older: Older = LogCode()
        try older.run()
    }
}

private struct LogCode: Older {
    @available(*, deprecated)
    private final class Custom: Logger {
        var level: LogLevel = .info

        func log(level: LogLevel, domain: LogDomain, message: String) {}
    }

    @available(*, deprecated)
    func run() throws {
        let _: KeyPath<Log, ConsoleLogger> = \.console
        let _: KeyPath<Log, FileLogger> = \.file
        let _: ReferenceWritableKeyPath<Log, Logger?> = \.custom
        let _: ReferenceWritableKeyPath<ConsoleLogger, LogLevel> = \.level
        let _: ReferenceWritableKeyPath<ConsoleLogger, LogDomains> = \.domains
        let _: ReferenceWritableKeyPath<FileLogger, LogLevel> = \.level
        let _: ReferenceWritableKeyPath<FileLogger, LogFileConfiguration?> = \.config
        let _: (String) -> LogFileConfiguration = LogFileConfiguration.init(directory:)
        let before = LogSinks.console
        defer { LogSinks.console = before }
        #expect(Database.log.console.level == .warning && Database.log.console.domains == .all)
        #expect(Database.log.file.level == .none && Database.log.file.config == nil)
        #expect(Database.log.custom == nil)
        let config = LogFileConfiguration(directory: "/logs")
        #expect(config.directory == "/logs" && !config.usePlainText)
        #expect(config.maxSize == 524_288 && config.maxRotateCount == 1)
        #expect(LogFileConfiguration.defaultUsePlaintext as Bool == false)
        #expect(LogFileConfiguration.defaultUsePlainText as Bool == false)
        #expect(LogFileConfiguration.defaultMaxSize as UInt64 == 524_288)
        #expect(LogFileConfiguration.defaultMaxRotateCount as Int == 1)
        config.usePlainText = true
        config.maxSize = 1_024
        config.maxRotateCount = 5
        Database.log.console.level = .verbose
        Database.log.console.domains = [.database, .network]
        #expect(Database.log.console.level == .verbose)
        let custom = Custom()
        Database.log.custom = custom
        #expect(Database.log.custom as? Custom === custom)
        Database.log.custom = nil
        #expect(Database.log.custom == nil)
    }
}
