import Dispatch
import DivanPlatform
import DivanTestKit
import Foundation
import Synchronization

/// Transfers bytes from one socket to another over one direction of a link, with two threads: one reads
/// as the link accepts them, one writes when they arrive.
final class LinkPump: Sendable {
    private let source: Socket
    private let target: Socket
    private let direction: LinkDirection

    /// Bytes that have left the source but not yet reached the target.
    private struct InFlightBytes {
        var pieces: [(bytes: [UInt8], arrival: Duration)] = []
        var byteCount = 0
    }

    private let underway = Mutex(InFlightBytes())
    /// One signal for each piece, and one for the end: if there is no piece then, the end is reached.
    private let arrivals = DispatchSemaphore(value: 0)
    /// One signal for each time that the source had to wait because too much was under way.
    private let room = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    init(from source: Socket, to target: Socket, over direction: LinkDirection) {
        self.source = source
        self.target = target
        self.direction = direction
    }

    /// Transfers until the source ends, on its own threads.
    func start() {
        Thread.detachNewThread { self.run() }
    }

    /// Transfers until the source ends.
    func run() {
        Thread.detachNewThread { self.write() }
        read()
        wait()
    }

    /// Waits until everything has arrived; may be called by several threads.
    func wait() {
        end.wait()
        end.signal()
    }

    private func read() {
        var direction = direction
        let most = direction.mostByteCount
        while case let piece = source.receive(upTo: direction.pieceByteCount), !piece.isEmpty {
            let count = piece.count
            let arrival = direction.take(count, at: Self.now)
            let isFull = underway.withLock { underway in
                underway.pieces.append((piece, arrival))
                underway.byteCount += count
                return underway.byteCount > most
            }
            arrivals.signal()
            if isFull { room.wait() }
            Self.sleep(until: direction.opensAt)
        }
        arrivals.signal()
    }

    private func write() {
        while let piece = next() {
            Self.sleep(until: piece.arrival)
            // If the target accepts no more, it has closed, and the other direction ends by itself.
            target.sendAll(piece.bytes)
        }
        target.shutdownSending()
        end.signal()
    }

    private func next() -> (bytes: [UInt8], arrival: Duration)? {
        arrivals.wait()
        let most = direction.mostByteCount
        let (piece, hasRoom) = underway.withLock { underway in
            guard !underway.pieces.isEmpty else {
                return (nil as (bytes: [UInt8], arrival: Duration)?, false)
            }
            let piece = underway.pieces.removeFirst()
            let wasFull = underway.byteCount > most
            underway.byteCount -= piece.bytes.count
            return (piece, wasFull && underway.byteCount <= most)
        }
        if hasRoom { room.signal() }
        return piece
    }

    private static var now: Duration { .nanoseconds(MonotonicClock.now()) }

    private static func sleep(until moment: Duration) {
        let rest = (moment - now) / .seconds(1)
        if rest > 0 { Thread.sleep(forTimeInterval: rest) }
    }
}
