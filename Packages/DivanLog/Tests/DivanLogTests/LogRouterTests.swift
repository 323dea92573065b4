import DivanLog
import Synchronization
import Testing

/// Which sink receives which entry, and the cost of an entry that nobody wants.
@Suite struct LogRouterTests {
    @Test(arguments: LogLevel.allCases)
    func `a sink gets entries of its level and above`(level: LogLevel) {
        let kept = Kept()
        let log = Log(.sync, to: LogRouter(sinks: [kept.sink(level)]))
        log.debug("debug")
        log.verbose("verbose")
        log.info("info")
        log.warning("warning")
        log.error("error")
        let expected = LogLevel.allCases.filter { $0 >= level && $0 != .none }
        #expect(kept.entries.map(\.level) == expected)
        #expect(kept.entries.map(\.message) == expected.map { $0.word.lowercased() })
        #expect(kept.entries.allSatisfy { $0.domain == .sync })
    }

    @Test
    func `a message that no sink accepts is not formatted`() {
        let kept = Kept()
        let log = Log(.blip, to: LogRouter(sinks: [kept.sink(.warning)]))
        let madeCount = Mutex(0)
        func message() -> LogMessage {
            madeCount.withLock { $0 += 1 }
            return "made"
        }
        log.info(message())
        #expect(madeCount.withLock { $0 } == 0)
        #expect(!log.isInterested(in: .info))
        log.warning(message())
        #expect(madeCount.withLock { $0 } == 1)
    }

    @Test
    func `sinks can be replaced and can select domains`() {
        let (first, second) = (Kept(), Kept())
        let router = LogRouter()
        let log = Log(.tls, to: router)
        log.error("to nobody")
        router.setSinks([first.sink(.info, domains: [.tls]), second.sink(.info, domains: [.sync])])
        log.error("to the first")
        Log(LogDomain("Sync"), to: router).error("to the second")
        router.setSinks([])
        log.error("to nobody")
        #expect(first.entries.map(\.message) == ["to the first"])
        #expect(second.entries.map(\.message) == ["to the second"])
    }

    @Test
    func `an entry of level none is dropped`() {
        let kept = Kept()
        let router = LogRouter(sinks: [kept.sink(.debug)])
        router.route(LogEntry(level: .none, domain: .query, message: "never"))
        #expect(kept.entries.isEmpty)
    }

    @Test(arguments: [
        ("plain text\twith a tab", "plain text\twith a tab"),
        ("two\nlines\r", #"two\nlines\r"#),
        ("red \u{1B}[31m", #"red \u{1b}[31m"#),
        (#"a\b"#, #"a\\b"#),
        ("\u{202E}txt", #"\u{202e}txt"#),
        ("\u{0}\u{85}\u{2028}", #"\u{0}\u{85}\u{2028}"#),
        ("Hôtel 🛋", "Hôtel 🛋"),
    ])
    func `control characters are escaped`(text: String, escaped: String) {
        #expect(escapedForLog(text) == escaped)
    }
}

/// Entries in the order they came.
private final class Kept: Sendable {
    private let kept = Mutex<[LogEntry]>([])

    var entries: [LogEntry] { kept.withLock { $0 } }

    func sink(_ level: LogLevel, domains: Set<LogDomain>? = nil) -> ClosureSink {
        ClosureSink(level: level, domains: domains) { [self] entry in
            kept.withLock { $0.append(entry) }
        }
    }
}
