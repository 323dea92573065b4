import CouchbaseLiteSwift
import DivanLog
import Testing

/// Keeps what it is given of two domains.
private struct QuerySink: DivanLog.LogSink {
    let level = DivanLog.LogLevel.warning
    let entries = Heard<LogEntry>()

    func accepts(_ domain: DivanLog.LogDomain) -> Bool { [.query, .sync].contains(domain) }

    func write(_ entry: LogEntry) { entries.append(entry) }
}

/// An extension, because the sinks are process-wide and the suite is serialized.
extension LoggingTests {
    @Test func `a sink of DivanLog gets only its own level and domains`() {
        let sink = QuerySink()
        let adapted = CustomLogSink(sink, domains: [.query, .network])
        #expect(adapted.level == .warning)
        LogSinks.custom = adapted
        defer { LogSinks.custom = nil }
        let mark = "adapted-\(UInt64.random(in: 0 ... .max))"
        for domain in [CouchbaseLiteSwift.LogDomain.query, .replicator, .network] {
            for level in [CouchbaseLiteSwift.LogLevel.info, .warning, .error] {
                CouchbaseLiteSwift.Log.log(domain: domain, level: level, message: mark)
            }
        }
        let heard = sink.entries.elements.filter { $0.message == mark }
        #expect(heard.map(\.domain) == [.query, .query])
        #expect(heard.map(\.level) == [.warning, .error])

        adapted.logSink.writeLog(level: .error, domain: .network, message: mark)
        #expect(sink.entries.elements.last?.domain == .webSocket)
    }
}
