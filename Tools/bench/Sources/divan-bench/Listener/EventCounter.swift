import DivanBLIPChannel
import Foundation

/// Counts the events of many clients, and lets a thread wait for them.
final class EventCounter: @unchecked Sendable {
    // Unchecked: the counts are accessed only under the condition's lock.

    enum Event: Hashable {
        /// The listener sent its first reply.
        case ready
        /// There is nothing more to pull.
        case caughtUp
        /// A revision arrived.
        case revision
        /// The connection ended.
        case closed
    }

    private let condition = NSCondition()
    private var counts: [Event: Int] = [:]
    private var wanted: (event: Event, count: Int)?
    private var time = 0.0

    func note(_ event: Event) {
        condition.lock()
        counts[event, default: 0] += 1
        // Waking a thread for each of a million documents would be most of the work.
        if let wanted, wanted.event == event, counts[event, default: 0] >= wanted.count {
            self.wanted = nil
            time = monotonicSeconds()
            condition.signal()
        }
        condition.unlock()
    }

    func count(_ event: Event) -> Int {
        condition.lock()
        defer { condition.unlock() }
        return counts[event, default: 0]
    }

    /// Waits until an event has happened `count` times; returns the time.
    ///
    /// One thread waits at a time.
    func wait(for event: Event, _ count: Int, seconds: Double = 60) throws -> Double {
        condition.lock()
        defer { condition.unlock() }
        time = monotonicSeconds()
        if counts[event, default: 0] < count { wanted = (event, count) }
        let end = Date(timeIntervalSinceNow: seconds)
        while counts[event, default: 0] < count {
            guard condition.wait(until: end) else {
                throw BenchFailure("\(event): \(counts[event, default: 0]) of \(count) in time")
            }
        }
        return time
    }

    /// Opens clients, a few at a time, and waits until the listener has replied to each.
    func gather(_ clientCount: Int, _ open: (Int) -> BLIPChannel) throws -> [BLIPChannel] {
        var clients: [BLIPChannel] = []
        for number in 0..<clientCount {
            if number >= 64 { _ = try wait(for: .ready, number - 63) }
            clients.append(open(number))
        }
        _ = try wait(for: .ready, clientCount)
        return clients
    }
}
