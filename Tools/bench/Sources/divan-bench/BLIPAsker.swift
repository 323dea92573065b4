import DivanBLIP
import DivanTransport
import DivanZlib
import Foundation

/// Asks requests over a transport, some of them ahead of their replies, and times them.
///
/// `@unchecked Sendable` holds because everything happens on the transport's loop until `run` is
/// woken, and the results are read only then.
final class BLIPAsker: MessageReceiver, @unchecked Sendable {
    /// With one request at a time: how long each took, in seconds.
    private(set) var roundTrips: [Double] = []

    private let transport: any MessageTransport
    private let body: [UInt8]
    private let aheadCount: Int
    private let count: Int
    private let done = DispatchSemaphore(value: 0)
    private var connection = BLIPConnection(codec: DeflateCodec())
    private var frame: [UInt8] = []
    private var sentCount = 0
    private var repliedCount = 0
    private var start = ContinuousClock.now
    private var lastStart = ContinuousClock.now
    private var seconds: Double?

    init(_ transport: any MessageTransport, bodyByteCount: Int, aheadCount: Int, count: Int) {
        self.transport = transport
        body = [UInt8](repeating: 7, count: bodyByteCount)
        self.aheadCount = aheadCount
        self.count = count
        roundTrips.reserveCapacity(aheadCount == 1 ? count : 0)
    }

    /// Asks everything; returns the seconds from the first request to the last reply.
    func run() throws -> Double {
        transport.start(self)
        done.wait()
        transport.close(code: 1000, reason: "")
        guard let seconds else { throw BenchFailure("the connection ended early") }
        return seconds
    }

    func transportDidOpen(_ peer: TransportPeer) {
        start = .now
        for _ in 0..<min(aheadCount, count) { ask() }
        write()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        guard (try? connection.receive(message.span)) != nil else {
            return transport.close(code: 1002, reason: "")
        }
        while let event = connection.next() {
            guard case .reply = event else { continue }
            repliedCount += 1
            if aheadCount == 1 { roundTrips.append(lastStart.elapsedSeconds) }
            if sentCount < count { ask() }
            if repliedCount == count { finish() }
        }
    }

    func transportDidDrainInput() { write() }
    func transportDidBecomeWritable() { write() }
    func transportDidClose(_ close: TransportClose) { done.signal() }

    private func ask() {
        sentCount += 1
        if aheadCount == 1 { lastStart = .now }
        connection.send(BLIPRequest(properties: ["Profile": "echo"], body: .bytes(body)))
    }

    private func write() {
        while transport.isWritable, connection.nextFrame(into: &frame) {
            transport.send(frame.span)
            frame.removeAll(keepingCapacity: true)
        }
    }

    private func finish() {
        seconds = start.elapsedSeconds
        done.signal()
    }
}

extension ContinuousClock.Instant {
    /// Seconds since this instant.
    var elapsedSeconds: Double {
        let (seconds, attoseconds) = duration(to: .now).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
