import Glibc

/// Times work.
enum Stopwatch {
    /// Returns the seconds that `work` took by a monotonic clock, the least of `runs`.
    static func best(of runs: Int = 3, _ work: () throws -> Void) rethrows -> Double {
        try best(of: runs, by: CLOCK_MONOTONIC, work)
    }

    /// Returns the seconds of processor time that `work` took on this thread, the least of `runs`.
    ///
    /// For work in memory: other load on the machine does not count.
    static func bestWork(of runs: Int = 5, _ work: () throws -> Void) rethrows -> Double {
        try best(of: runs, by: CLOCK_THREAD_CPUTIME_ID, work)
    }

    private static func best(
        of runs: Int,
        by clock: clockid_t,
        _ work: () throws -> Void
    ) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<runs {
            let start = seconds(clock)
            try work()
            best = min(best, seconds(clock) - start)
        }
        return best
    }

    /// Seconds of a monotonic clock.
    static func seconds() -> Double { seconds(CLOCK_MONOTONIC) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
