import DivanConflicts
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

import struct DivanLog.LogMessage

@testable import CouchbaseLiteSwift

/// `behaviour.md` §17, in separate processes if the console or the first database matters.
///
/// An extension, because the sinks are process-wide and the suite is serialized.
extension LoggingTests {
    @Test func `log levels are ordered: debug, verbose, info, warning, error, none`() {
        let levels: [LogLevel] = [.debug, .verbose, .info, .warning, .error, .none]
        #expect(levels.map(\.rawValue) == levels.map(\.rawValue).sorted())
        #expect(LogLevel.allCases == levels)
    }

    @Test func `opening the first database without file logging logs that once at info level`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            LogSinks.console = ConsoleLogSink(level: .info)
            _ = try TemporaryDatabase()
            _ = try TemporaryDatabase()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.matches(of: /File logging is off/).count == 1)
        #expect(text.contains(" DB Info: File logging is off"))
    }

    @Test func `with the default sinks, opening a database logs nothing`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let home = try TemporaryDatabase()
            try home.collection.save(document: MutableDocument(id: "a"))
            try home.database.close()
        }
        #expect(result.standardErrorContent.isEmpty && result.standardOutputContent.isEmpty)
    }

    @Test func `opening a database with file logging does not log that it is off`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let directory = try TemporaryDirectory()
            LogSinks.console = ConsoleLogSink(level: .info)
            LogSinks.file = FileLogSink(level: .info, directory: directory.path)
            _ = try TemporaryDatabase()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(!text.contains("File logging is off"))
    }

    @Test func `a console line goes to standard error with time, domain and level`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            LogSinks.console = ConsoleLogSink(level: .warning)
            Journal.database.warning("the mark")
            Journal.database.info("too quiet")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let line = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z Divan DB Warning: the mark/
        #expect(text.contains(line))
        #expect(!text.contains("too quiet"))
        #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("the mark"))
    }

    @Test func `an application's own messages reach the sinks before a database is opened`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            Log.log(domain: .multipeer, level: .warning, message: "from the mesh")
            Log.log(domain: .mdns, level: .info, message: "too quiet")
            Log.log(domain: .mdns, level: .none, message: "of no level")
            LogSinks.console = ConsoleLogSink(level: .info, domains: .network)
            Log.log(domain: .network, level: .info, message: "from the wire")
            Log.log(domain: .query, level: .error, message: "of another domain")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(" P2P Warning: from the mesh"))
        #expect(text.contains(" WS Info: from the wire"))
        #expect(text.split(separator: "\n").count == 2, "no word of missing files: \(text)")
    }

    @Test func `an application's own messages keep their domain and level`() {
        let lines = Heard<String>()
        struct Sink: LogSinkProtocol {
            let lines: Heard<String>
            func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                if message.hasPrefix("own ") { lines.append("\(message) \(level) \(domain)") }
            }
        }
        LogSinks.custom = CustomLogSink(level: .debug, logSink: Sink(lines: lines))
        for domain in LogDomain.allCases {
            Log.log(domain: domain, level: .verbose, message: "own \(domain)")
        }
        LogSinks.custom = nil
        #expect(lines.elements == LogDomain.allCases.map { "own \($0) verbose \($0)" })
    }

    @Test func `a replicator logs its start, progress and end at info level`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            LogSinks.console = ConsoleLogSink(level: .info, domains: .replicator)
            let peers = try Peers()
            try peers.here.defaultCollection().put("doc", 1)
            try await Replicator(config: try peers.configuration()).run()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(": starting, pushAndPull"))
        #expect(text.contains(": busy,"))
        #expect(text.contains(": stopped,"))
    }

    @Test func `setLogLevel sets the console level of one domain`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let older: any OlderLevels = SetLogLevel()
            older.set(.error, .database)
            older.set(.info, .replicator)
            Journal.database.warning("hidden")
            Journal.sync.info("shown")
            Journal.listener.warning("as before")
            Journal.listener.info("too quiet")
            LogSinks.console = ConsoleLogSink(level: .warning)
            Journal.database.warning("heard again")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("shown") && text.contains("as before"))
        #expect(text.contains("heard again"))
        #expect(!text.contains("hidden") && !text.contains("too quiet"))
    }

    @Test func `a file sink creates one file for each of the five levels`() throws {
        let directory = try TemporaryDirectory()
        LogSinks.file = FileLogSink(level: .error, directory: directory.path)
        let names = directory.names
        LogSinks.file = nil
        let levels = names.map { $0.split(separator: "_").dropLast().joined(separator: "_") }
        #expect(levels == ["cbl_debug", "cbl_error", "cbl_info", "cbl_verbose", "cbl_warning"])
        #expect(names.allSatisfy { $0.wholeMatch(of: /cbl_[a-z]+_\d+\.cbllog/) != nil })
        for name in names {
            let text = try String(contentsOfFile: directory.file(name), encoding: .utf8)
            #expect(text.hasPrefix("---- serialNo="))
            #expect(text.hasSuffix("---- END ----\n"))
        }
    }

    @Test func `setting a file sink with the same directory continues the same files`() throws {
        let directory = try TemporaryDirectory()
        LogSinks.file = FileLogSink(level: .warning, directory: directory.path)
        Journal.database.warning("before")
        let names = directory.names
        LogSinks.file = FileLogSink(level: .info, directory: directory.path, maxKeptFiles: 4)
        Journal.database.warning("after")
        LogSinks.file = nil
        #expect(directory.names == names && names.count == 5)
        let warnings = try #require(names.first { $0.hasPrefix("cbl_warning_") })
        let text = try String(contentsOfFile: directory.file(warnings), encoding: .utf8)
        #expect(text.contains(" before\n") && text.contains(" after\n"))
        #expect(text.split(separator: "\n").count == 5)
    }

    @Test func `a log file's header has the official fields and says that it is plain text`()
        throws
    {
        let directory = try TemporaryDirectory()
        LogSinks.file = FileLogSink(level: .info, directory: directory.path, usePlainText: false)
        LogSinks.file = nil
        let info = try #require(directory.names.first { $0.hasPrefix("cbl_info_") })
        let text = try String(contentsOfFile: directory.file(info), encoding: .utf8)
        let lines = text.split(separator: "\n")
        for word in ["CouchbaseLite/", "Build/", "Commit/", "plain text"] {
            #expect(lines[1].contains(word))
        }
        #expect(lines[2].contains("usePlainText: false is ignored"))
    }

    @Test func `maxKeptFiles limits the log files of each level`() throws {
        let directory = try TemporaryDirectory()
        LogSinks.file = FileLogSink(
            level: .warning,
            directory: directory.path,
            maxKeptFiles: 3,
            maxFileSize: 10
        )
        for number in 0..<100 { Journal.database.warning("line \(number) of a long series") }
        LogSinks.file = nil
        let names = directory.names.filter { $0.hasPrefix("cbl_warning_") }
        #expect(names.count == 3)
        for name in names {
            let path = directory.file(name)
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
            #expect((size?.intValue ?? 0) < 1_400, "1024 bytes are the least")
        }
    }

    @Test func `credentials, cookies and bodies are not logged above verbose level`() async throws {
        final class Everything: LogSinkProtocol, Sendable {
            let lines = Heard<String>()
            func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                lines.append(message)
            }
        }
        let sink = Everything()
        LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
        defer { LogSinks.custom = nil }
        let peers = try Peers()
        let secret = "S3cret-in-a-body"
        let document = MutableDocument(id: "doc", data: ["secret": secret])
        try peers.here.defaultCollection().save(document: document)
        let listener = try peers.listen { config in
            config.disableTLS = true
            config.authenticator = ListenerPasswordAuthenticator {
                $0 == "user" && $1 == "p4ssw0rd"
            }
        }
        defer { listener.stop() }
        for password in ["wrong-p4ss", "p4ssw0rd"] {
            var configuration = try peers.configuration(target: try listener.endpoint())
            configuration.authenticator = BasicAuthenticator(username: "user", password: password)
            configuration.headers = ["Cookie": "session=c00kie-value"]
            _ = await Replicator(config: configuration).finalCode()
        }
        #expect(try peers.there.defaultCollection().count == 1)
        for word in [
            secret, "p4ss", "c00kie-value", Data("user:p4ssw0rd".utf8).base64EncodedString(),
        ] {
            #expect(!sink.lines.elements.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test
    func `adding a listener on a closed database logs a warning and returns an inactive token`()
        throws
    {
        let lines = Heard<String>()
        struct Sink: LogSinkProtocol {
            let lines: Heard<String>
            func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                if level == .warning { lines.append(message) }
            }
        }
        LogSinks.custom = CustomLogSink(level: .warning, logSink: Sink(lines: lines))
        defer { LogSinks.custom = nil }
        let home = try TemporaryDatabase()
        let collection = try home.database.createCollection(name: "ended")
        let deleted = try home.database.createCollection(name: "deleted")
        try home.database.deleteCollection(name: "deleted")
        deleted.addChangeListener { _ in }.remove()
        try home.database.close()
        collection.addDocumentChangeListener(id: "x") { _ in }.remove()
        #expect(lines.elements.contains { $0.contains("_default.deleted") })
        #expect(lines.elements.contains { $0.contains("_default.ended") })
    }

    private struct Sink: LogSinkProtocol {
        let lines: Heard<String>
        func writeLog(level: LogLevel, domain: LogDomain, message: String) {
            lines.append(message)
        }
    }

    @Test func `a resolved document with a different ID logs the official warning`() throws {
        struct Resolver: ConflictResolverProtocol {
            func resolve(conflict: CouchbaseLiteSwift.Conflict) -> Document? {
                MutableDocument(id: "wrong")
            }
        }
        let lines = Heard<String>()
        LogSinks.custom = CustomLogSink(level: .warning, logSink: Sink(lines: lines))
        defer { LogSinks.custom = nil }
        let home = try TemporaryDatabase()
        let resolver = DocumentResolver(resolver: Resolver(), collection: try home.collection)
        let leaf = DivanConflicts.Leaf(
            revisionID: try #require(RevisionID("1-" + String(repeating: "a", count: 40))),
            body: Array("{}".utf8)
        )
        let id = StoredID(unchecked: "doc")
        _ = try resolver.resolve(
            DivanConflicts.Conflict(documentID: id, local: leaf, remote: leaf)
        )
        let words =
            "The document ID of the resolved document 'wrong' is not matching with the document ID "
            + "of the conflicting document 'doc'."
        #expect(lines.elements.contains { $0.contains(words) })
    }

    @Test func `reading a blob whose content is missing logs a warning`() throws {
        let lines = Heard<String>()
        LogSinks.custom = CustomLogSink(level: .warning, logSink: Sink(lines: lines))
        defer { LogSinks.custom = nil }
        let digest = "sha1-BBBBBBBBBBBBBBBBBBBBBBBBBBA="
        let document = MutableDocument(data: ["b": ["@type": "blob", "digest": digest]])
        #expect(document.blob(forKey: "b")?.content == nil)
        #expect(lines.elements.contains { $0.contains(digest) })
    }

    @Test func `verbose logging shows operations but not values`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            LogSinks.console = ConsoleLogSink(level: .verbose, domains: [.database, .query])
            let home = try TemporaryDatabase()
            let collection = try home.collection
            try home.database.inBatch {
                try collection.save(document: MutableDocument(data: ["name": "secret-1", "n": 5]))
                let end = ContinuousClock.now + .milliseconds(60)
                while ContinuousClock.now < end {}
            }
            try collection.createIndex(
                withName: "byName",
                config: ValueIndexConfiguration(["name"])
            )
            let query = try home.database.createQuery(
                "SELECT n FROM _ WHERE name = 'secret-1' AND n <> 4711 AND n < $most AND `a b` IS MISSING"
            )
            query.parameters = Parameters().setInt(4_712, forName: "most")
            for _ in 0..<2 { _ = try query.execute().allResults() }
            for try await _ in query.stream() {}
            try home.database.performMaintenance(type: .optimize)
            try home.database.close()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let shape = "SELECT n FROM _ WHERE name = ? AND n != ? AND n < $most AND `a b` IS MISSING"
        for mark in [
            " DB Info: Database db opened in ", ", trees", " Query Info: Index byName of ",
            " DB Verbose: Transaction in ", ": 1 documents changed in ", "optimize took",
            " Query Verbose: Plan of \(shape): ", "byName", " Query Verbose: 1 rows in ",
            "Database db closed",
        ] {
            #expect(text.contains(mark), "\(mark)\n\(text)")
        }
        #expect(text.ranges(of: "Plan of").count == 1)
        #expect(text.ranges(of: "rows in").count == 3)
        for secret in ["secret-", "4711", "4712"] { #expect(!text.contains(secret), "\(text)") }
    }
}

/// The 2.x call is deprecated; calling it through a protocol avoids the warning.
private protocol OlderLevels {
    func set(_ level: LogLevel, _ domain: LogDomain)
}

private struct SetLogLevel: OlderLevels {
    @available(*, deprecated)
    func set(_ level: LogLevel, _ domain: LogDomain) {
        Database.setLogLevel(level, domain: domain)
    }
}
