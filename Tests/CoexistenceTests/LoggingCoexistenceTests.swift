import CouchbaseLiteSwift
import Logging
import Testing

/// A program that logs with swift-log and stores with Divan: the modules can be used together.
///
/// `Logger` is also a name of the official API, so swift-log's is qualified if both are imported.
@Suite struct LoggingCoexistenceTests {
    private struct Sink: LogSinkProtocol, LogHandler {
        var logLevel: Logging.Logger.Level { .error }

        func writeLog(level: LogLevel, domain: LogDomain, message: String) {}
    }

    @Test func `an app can import Divan and swift-log together`() throws {
        let database = try Database.inMemory()
        let collection = try database.defaultCollection()
        let document = MutableDocument(id: "neighbour")
        let logger = Logging.Logger(label: "app")
        document.setString(logger.line("saved", at: .debug), forKey: "line")
        try collection.save(document: document)
        let stored = try collection.document(id: "neighbour")?.string(forKey: "line")
        #expect(stored == "debug app: saved")
        #expect(Sink().logLevel == .error)
        try database.close()
    }
}
