import DivanPlatform

/// Times work.
enum Stopwatch {
    /// Returns the seconds that `work` took by a monotonic clock, the least of `runs`.
    static func best(of runs: Int = 3, _ work: () throws -> Void) rethrows -> Double {
        try best(of: runs, by: MonotonicClock.now, work)
    }

    /// Returns the seconds of processor time that `work` took on this thread, the least of `runs`.
    ///
    /// For work in memory: other load on the machine does not count.
    static func bestWork(of runs: Int = 5, _ work: () throws -> Void) rethrows -> Double {
        try best(of: runs, by: ProcessorClock.thread, work)
    }

    private static func best(
        of runs: Int,
        by clock: () -> UInt64,
        _ work: () throws -> Void
    ) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<runs {
            let start = clock()
            try work()
            best = min(best, Double(clock() - start) / 1e9)
        }
        return best
    }

    /// Seconds of a monotonic clock.
    static func seconds() -> Double { Double(MonotonicClock.now()) / 1e9 }
}
