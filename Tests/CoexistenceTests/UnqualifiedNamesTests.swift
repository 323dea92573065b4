import Divan
import Logging
import Testing

/// A program that imports `Divan` and swift-log uses the names of both without qualification.
@Suite struct UnqualifiedNamesTests {
    private struct Memory: LogHandler {
        var logLevel: Logger.Level = .debug
    }

    @Test func `an app uses the names of swift-log next to Divan`() throws {
        let logger = Logger(label: "app")
        let notes = try Database.inMemory().documents
        var note = Document(id: "1")
        note.line = logger.line("saved", at: Memory().logLevel)
        try notes.save(note)
        #expect(try notes.get("1")?["line"] == "debug app: saved")
    }

    @Test func `a receiver of log entries is tested with an entry of its own`() {
        let entry = Log.Entry(level: .info, area: "Sync", message: "connected")
        let logger = Logger(label: entry.area)
        #expect(logger.line(entry.message, at: .debug) == "debug Sync: connected")
    }
}
