import DivanPlatform
import Synchronization

/// A signal that one thread waits for, with a time limit by the monotonic clock.
///
/// On Linux, `DispatchSemaphore` waits until a time of the wall clock: if the clock is set back meanwhile, the wait is
/// longer by as much.
package final class TimedSignal: Sendable {
    /// Milliseconds that one system call waits; time during which the machine sleeps counts after it.
    private static let slice = 60_000.0
    /// The same without a descriptor that could end the call.
    private static let sleepingSlice = 100.0

    private let isSignalled = Atomic(false)
    /// Readable while there is a signal; `nil` if the system has no descriptor left.
    private let wakeup = try? Wakeup()

    package init() {}

    deinit {
        wakeup?.descriptor.close()
    }

    /// Ends the current wait, or the next one.
    package func signal() {
        isSignalled.store(true, ordering: .releasing)
        wakeup?.signal()
    }

    /// Waits for a signal; `nil` waits without limit.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    package func wait(for limit: Duration?) -> Bool {
        let end = limit.map { ContinuousClock.now + $0 }
        while !isSignalled.exchange(false, ordering: .acquiring) {
            let rest = end.map { ($0 - .now) / .milliseconds(1) } ?? .infinity
            guard rest > 0 else { return false }
            // Rounded up, so that no wait is shorter than its limit.
            let milliseconds = min(rest, wakeup == nil ? Self.sleepingSlice : Self.slice)
            sleep(milliseconds: Int(milliseconds.rounded(.up)))
        }
        return true
    }

    private func sleep(milliseconds: Int) {
        do {
            guard let wakeup else { return CurrentThread.sleep(milliseconds: milliseconds) }
            try wakeup.descriptor.wait(for: .reading, milliseconds: Int32(milliseconds))
            // The flag is set before the descriptor becomes readable, so no signal is lost.
            wakeup.clear()
        } catch  where error.errno == .interrupted {
        } catch {
            CurrentThread.sleep(milliseconds: Int(Self.sleepingSlice))
        }
    }
}
