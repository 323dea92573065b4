import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §17; serialized because the sinks are process-wide.
@Suite(.serialized) struct LoggingTests {
    private final class Lines: LogSinkProtocol, Sendable {
        let stored = Mutex<[(LogLevel, LogDomain, String)]>([])

        func writeLog(level: LogLevel, domain: LogDomain, message: String) {
            stored.withLock { $0.append((level, domain, message)) }
        }

        func contains(_ level: LogLevel, _ text: String, in domain: LogDomain = .database) -> Bool {
            stored.withLock { lines in
                lines.contains { $0 == level && $1 == domain && $2.contains(text) }
            }
        }
    }

    /// Makes the library log a warning that contains `mark`.
    private func provokeWarning(_ mark: String) throws {
        let home = try TemporaryDatabase()
        let collection = try home.database.createCollection(name: mark)
        try home.database.close()
        collection.addChangeListener { _ in }
    }

    @Test func `by default the console logs warnings, and files and custom sinks are off`() {
        #expect(LogSinks.console?.level == .warning)
        #expect(LogSinks.console?.domains == .all)
        #expect(LogSinks.file == nil)
        #expect(LogSinks.custom == nil)
    }

    @Test func `a custom sink gets only its level and domains`() throws {
        let (lines, deaf, errors) = (Lines(), Lines(), Lines())
        LogSinks.custom = CustomLogSink(level: .warning, logSink: lines)
        try provokeWarning("one")
        LogSinks.custom = CustomLogSink(level: .warning, domains: .replicator, logSink: deaf)
        try provokeWarning("two")
        LogSinks.custom = CustomLogSink(level: .error, logSink: errors)
        try provokeWarning("three")
        LogSinks.custom = nil
        try provokeWarning("four")
        #expect(lines.contains(.warning, "_default.one"))
        for mark in ["two", "three", "four"] {
            #expect(!lines.contains(.warning, mark))
            #expect(!deaf.contains(.warning, mark))
            #expect(!errors.contains(.warning, mark))
        }
    }

    @Test func `a property that is not synced is warned about once, except _exp`() throws {
        let lines = Lines()
        LogSinks.custom = CustomLogSink(level: .warning, logSink: lines)
        defer { LogSinks.custom = nil }
        let home = try TemporaryDatabase()
        let collection = try home.database.defaultCollection()
        func save(_ id: String, _ body: [String: Any]) throws {
            try collection.save(document: MutableDocument(id: id, data: body))
        }
        try save("plain", ["_exp": 60, "in": ["_kind": 1], "text": "_kind"])
        #expect(!lines.contains(.warning, "plain"))
        try save("first", ["_kind": 1, "_exp": 60])
        try save("second", ["_kind": 2])
        #expect(lines.contains(.warning, "Document first: property _kind is not synced"))
        #expect(!lines.contains(.warning, "second"))
        #expect(try collection.document(id: "second")?.int(forKey: "_kind") == 2)
    }

    @Test func `deleting a database right after a save logs no warning about expiration`() throws {
        let lines = Lines()
        LogSinks.custom = CustomLogSink(level: .warning, logSink: lines)
        defer { LogSinks.custom = nil }
        let home = try TemporaryDatabase()
        for number in 0..<50 {
            try Database(name: "\(number)", config: .in(home.directory)).delete()
        }
        #expect(!lines.contains(.warning, "Expired documents"))
    }

    @Test
    func `a full-text index in a language without stemming logs a warning and finds exact words`()
        throws
    {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try collection.save(document: MutableDocument(id: "d", data: ["text": "running"]))
        for (language, warns, hits) in [
            ("engish", true, 0), ("en", false, 1), ("", false, 0), ("ja", false, 0),
        ] {
            let lines = Lines()
            LogSinks.custom = CustomLogSink(level: .warning, logSink: lines)
            defer { LogSinks.custom = nil }
            let index = FullTextIndexConfiguration(["text"], language: language)
            try collection.createIndex(withName: "words", config: index)
            #expect(lines.contains(.warning, "\"\(language)\"", in: .query) == warns, "\(language)")
            for (word, count) in [("running", 1), ("runs", hits)] {
                let query = try home.database.createQuery(
                    "SELECT 1 FROM _ WHERE MATCH(words, '\(word)')"
                )
                #expect(try query.execute().allResults().count == count, "\(language), \(word)")
            }
        }
    }

    @Test func `a file sink writes plain text to its directory`() throws {
        let directory = try TemporaryDirectory()
        LogSinks.file = FileLogSink(level: .warning, directory: directory.file("logs"))
        try provokeWarning("filed")
        LogSinks.file = nil
        let path = directory.file("logs")
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let name = try #require(names.first { $0.hasPrefix("cbl_warning_") })
        let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
        #expect(text.contains(" DB Warning Collection _default.filed"))
    }

    @Test func `a file sink has the same defaults as Couchbase Lite`() {
        let sink = FileLogSink(level: .info, directory: "/d")
        #expect(sink.maxKeptFiles == 2)
        #expect(sink.maxFileSize == 524_288)
        #expect(!sink.usePlaintext)
    }

    @Test func `a log directory that cannot be created does not stop the program`() throws {
        LogSinks.file = FileLogSink(level: .warning, directory: "/dev/null/logs")
        try provokeWarning("unfiled")
        LogSinks.file = nil
    }

    @available(*, deprecated)
    @Test func `the old logging API changes the same settings`() throws {
        let before = LogSinks.console
        defer { LogSinks.console = before }
        Database.log.console.level = .error
        Database.log.console.domains = [.replicator, .network]
        #expect(LogSinks.console?.level == .error)
        #expect(LogSinks.console?.domains == [.replicator, .network])
        #expect(Database.log.file.level == .none)

        let directory = try TemporaryDirectory()
        Database.log.file.level = .verbose
        let configuration = LogFileConfiguration(directory: directory.path)
        configuration.usePlainText = true
        configuration.maxRotateCount = 4
        Database.log.file.config = configuration
        #expect(LogSinks.file?.level == .verbose)
        #expect(LogSinks.file?.maxKeptFiles == 5)
        configuration.maxRotateCount = .max
        Database.log.file.config = configuration
        #expect(LogSinks.file?.maxKeptFiles == 1_000_001)
        Database.log.file.config = nil
        #expect(LogSinks.file == nil)
    }

    @available(*, deprecated)
    @Test func `a custom logger of the old API is called`() throws {
        final class Old: Logger, Sendable {
            let level = LogLevel.warning
            let lines = Lines()
            func log(level: LogLevel, domain: LogDomain, message: String) {
                lines.writeLog(level: level, domain: domain, message: message)
            }
        }
        let logger = Old()
        Database.log.custom = logger
        try provokeWarning("old")
        Database.log.custom = nil
        #expect(logger.lines.contains(.warning, "_default.old"))
        #expect(LogSinks.custom == nil)
    }

    @Test func `log domains, levels and option sets have their official raw values`() {
        #expect(LogDomains.database.rawValue == 1)
        #expect(LogDomains.multipeer.rawValue == 512)
        #expect(LogDomains.all.contains([.query, .listener, .mdns, .peerDiscovery, .network]))
        #expect(LogDomain.replicator.rawValue == 4)
        #expect(LogLevel.none.rawValue == 5)
    }

    @Test func `a live query whose queue is blocked logs a warning`() throws {
        let lines = Lines()
        LogSinks.custom = CustomLogSink(level: .warning, logSink: lines)
        defer { LogSinks.custom = nil }
        let home = try TemporaryDatabase()
        let query = try home.database.createQuery("SELECT META().id FROM _ WHERE n = $n")
        query.parameters = Parameters().setInt(0, forName: "n")
        let stuck = DispatchQueue(label: "stuck")
        stuck.suspend()
        let token = query.addChangeListener(withQueue: stuck) { _ in }
        let heard = DispatchSemaphore(value: 0)
        query.addChangeListener(withQueue: DispatchQueue(label: "free")) { _ in heard.signal() }
        // New parameters are reported each time; one run of the first query may replace two.
        for number in 1...5_000 where !lines.contains(.warning, "events are waiting in its queue") {
            heard.wait()
            query.parameters = Parameters().setInt(number, forName: "n")
        }
        token.remove()
        stuck.resume()
        try home.database.close()
        #expect(lines.contains(.warning, "events are waiting in its queue"))
    }
}
