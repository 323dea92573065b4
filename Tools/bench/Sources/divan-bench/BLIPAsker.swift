import DivanBLIP
import DivanBLIPChannel
import DivanTransport
import DivanZlib
import Foundation
import Synchronization

/// Sends requests over a transport, some before earlier replies arrive, and times them.
final class BLIPAsker: BLIPHandler {
    /// The times of a run.
    struct Times: Sendable {
        /// From the first request to the last reply.
        var seconds: Double
        /// How long each request took in seconds, if sent one at a time.
        var roundTrips: [Double]
    }

    /// Passes the times to the thread that waits for them.
    private final class Stop: Sendable {
        let isReached = DispatchSemaphore(value: 0)
        let times = Mutex<Times?>(nil)
    }

    private let channel: BLIPChannel
    private let body: [UInt8]
    private let aheadCount: Int
    private let count: Int
    private let stop: Stop
    private var roundTrips: [Double] = []
    private var sentCount = 0
    private var repliedCount = 0
    private var start = ContinuousClock.now
    private var lastStart = ContinuousClock.now

    private init(
        _ channel: BLIPChannel,
        bodyByteCount: Int,
        aheadCount: Int,
        count: Int,
        _ stop: Stop
    ) {
        self.channel = channel
        body = [UInt8](repeating: 7, count: bodyByteCount)
        self.aheadCount = aheadCount
        self.count = count
        self.stop = stop
        roundTrips.reserveCapacity(aheadCount == 1 ? count : 0)
    }

    /// Sends everything, and waits for the last reply.
    static func run(
        over transport: any MessageTransport,
        bodyByteCount: Int,
        aheadCount: Int,
        count: Int
    ) throws -> Times {
        let stop = Stop()
        let channel = BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
            BLIPAsker(
                channel,
                bodyByteCount: bodyByteCount,
                aheadCount: aheadCount,
                count: count,
                stop
            )
        }
        stop.isReached.wait()
        channel.close()
        guard let times = stop.times.withLock({ $0 }) else {
            throw BenchFailure("the connection ended early")
        }
        return times
    }

    func channelDidOpen(_ peer: TransportPeer) {
        start = .now
        for _ in 0..<min(aheadCount, count) { ask() }
    }

    func channelDidReceive(_ event: BLIPEvent) {
        guard case .reply = event else { return }
        repliedCount += 1
        if aheadCount == 1 { roundTrips.append(lastStart.elapsedSeconds) }
        if sentCount < count { ask() }
        if repliedCount == count { finish() }
    }

    func channelDidClose(_ close: TransportClose) { stop.isReached.signal() }

    private func ask() {
        sentCount += 1
        if aheadCount == 1 { lastStart = .now }
        channel.send(BLIPRequest(properties: ["Profile": "echo"], body: .bytes(body)))
    }

    private func finish() {
        let times = Times(seconds: start.elapsedSeconds, roundTrips: roundTrips)
        stop.times.withLock { $0 = times }
        stop.isReached.signal()
    }
}

extension ContinuousClock.Instant {
    /// Seconds since this instant.
    var elapsedSeconds: Double {
        let (seconds, attoseconds) = duration(to: .now).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
