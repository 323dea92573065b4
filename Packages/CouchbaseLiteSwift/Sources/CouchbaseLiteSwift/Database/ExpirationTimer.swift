import Dispatch
import DivanDatabase
import DivanLog
import DivanTransport
import Foundation
import Synchronization

/// Purges a store's documents when they expire; one timer for all collections.
///
/// Source: `behaviour.md` §5.
final class ExpirationTimer: Sendable {
    /// The longest sleep, in milliseconds.
    ///
    /// Sleeps follow neither the wall clock, which may be set, nor the time that the machine is suspended. What serves
    /// others compares each time it reads (`Store.purgeDue()`).
    private static let longestSleep: Int64 = 10_000

    /// How long to wait before the next try after a failure, in milliseconds.
    private static let sleepAfterFailure: Int64 = 60_000

    private let store: Store
    private let queue = DispatchQueue(label: "divan.expiration", qos: .utility)
    /// Counts the plans; a sleeper that wakes for an old one does nothing.
    private let plan = Mutex<UInt64>(0)

    init(_ store: Store) {
        self.store = store
    }

    /// Reschedules the next purge.
    func schedule() {
        let number = nextPlan()
        queue.async { [weak self] in self?.run(number) }
    }

    /// Stops purging.
    func stop() {
        _ = nextPlan()
    }

    private func nextPlan() -> UInt64 {
        plan.withLock { plan in
            plan += 1
            return plan
        }
    }

    private func isCurrent(_ number: UInt64) -> Bool {
        plan.withLock { $0 == number }
    }

    /// Purges what has expired, then sleeps until the next purge.
    private func run(_ number: UInt64) {
        guard isCurrent(number) else { return }
        do {
            let now = Date().milliseconds
            let count = try store.purgeExpired(now: now)
            if count > 0 { Journal.database.verbose("Purged \(count) expired documents") }
            guard let next = try store.nextExpiration() else { return }
            let purge = (count: count, time: now)
            sleep(for: Self.pause(after: purge, until: next, at: Date().milliseconds), number)
        } catch let error as StoreError where error.code == .notOpen {
            // Closed or deleted meanwhile; the next open schedules again.
        } catch {
            guard isCurrent(number) else { return }
            Journal.database.warning("Cannot purge expired documents: \(error)")
            sleep(for: Self.sleepAfterFailure, number)
        }
    }

    /// How long to sleep after a purge; all in milliseconds, times since 1970.
    ///
    /// - Parameters:
    ///   - purge: How many documents it purged, and the time by which they were due.
    ///   - next: When the next document expires.
    ///   - now: The current time, which is later than that of the purge.
    /// - Returns: From 0 to `longestSleep`.
    static func pause(
        after purge: (count: Int, time: Int64),
        until next: Int64,
        at now: Int64
    ) -> Int64 {
        // A document that was due but not purged is damaged; do not try again at once.
        if purge.count == 0, next <= purge.time { return sleepAfterFailure }
        guard next > now else { return 0 }
        let (distance, isTooLong) = next.subtractingReportingOverflow(now)
        return isTooLong ? longestSleep : min(distance, longestSleep)
    }

    private func sleep(for milliseconds: Int64, _ number: UInt64) {
        Later.run(after: .milliseconds(milliseconds), on: queue) { [weak self] in
            self?.run(number)
        }
    }
}
