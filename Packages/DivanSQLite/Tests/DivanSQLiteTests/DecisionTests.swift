import Testing

// Where SQLite spills is internal to the module.
@testable import DivanSQLite

/// What is decided before SQLite is asked.
@Suite struct DecisionTests {
    @Test func `the free space of the temporary directory is checked`() {
        #expect(SQLiteTemporaryDirectory.holds(1))
        #expect(!SQLiteTemporaryDirectory.holds(.max))
    }

    /// SQLite before 3.51.3 loses pages if a writer restarts the log while such a checkpoint begins.
    @Test func `no background checkpoint starts on a log that was copied completely`() {
        let log = SQLiteLimits.logByteCount
        #expect(!CheckpointRounds.continues(copied: log, before: 0, log: log))
        // Restarted in the meantime.
        #expect(!CheckpointRounds.continues(copied: log, before: 0, log: 4_096))
        #expect(CheckpointRounds.continues(copied: log, before: 0, log: log + 4_096))
        #expect(!CheckpointRounds.continues(copied: log, before: log - 4_096, log: log + 4_096))
    }

    @Test func `special characters of a path are escaped in its URI`() throws {
        let uri = SQLiteLocation.uri("/tmp/50% of #1?e\u{301}", "immutable=1")
        #expect(uri == "file:/tmp/50%25 of %231%3fe\u{301}?immutable=1")
    }

    @Test func `a log that grows by the limit twice is reported as held by readers`() {
        var monitor = WALGrowthMonitor()
        let limit = SQLiteLimits.heldLogByteCount
        let longer = limit + SQLiteLimits.logByteCount
        let grown = [limit - 1, limit, limit + 1, longer, 0, longer].map {
            monitor.hasGrown(to: $0, at: "")
        }
        #expect(grown == [false, false, false, true, false, false])
    }
}
