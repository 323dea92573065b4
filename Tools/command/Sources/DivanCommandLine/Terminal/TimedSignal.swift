import DivanPlatform

/// A signal that one thread waits for, with a time limit by the monotonic clock.
///
/// On Linux, `DispatchSemaphore` waits until a time of the wall clock: if the clock is set back meanwhile, the wait is
/// longer by as much.
package final class TimedSignal: Sendable {
    /// Readable while there is a signal; `nil` if the system has no descriptor left, and then only time ends a wait.
    private let wakeup = try? Wakeup()

    package init() {}

    deinit {
        wakeup?.descriptor.close()
    }

    /// Ends the current wait, or the next one.
    package func signal() { wakeup?.signal() }

    /// Waits for a signal; `nil` waits without limit.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    package func wait(for limit: Duration?) -> Bool {
        let end = limit.map { ContinuousClock.now + $0 }
        while true {
            let rest = end.map { $0 - .now } ?? .seconds(3_600)
            guard rest > .zero else { return false }
            // Rounded up, so that no wait is shorter than its limit; long waits are divided.
            let milliseconds = Int32(min(rest / .milliseconds(1), 3_600_000).rounded(.up))
            guard let wakeup else {
                CurrentThread.sleep(milliseconds: Int(milliseconds))
                continue
            }
            let events = try? wakeup.descriptor.wait(for: .reading, milliseconds: milliseconds)
            if events?.contains(.reading) == true {
                wakeup.clear()
                return true
            }
        }
    }
}
