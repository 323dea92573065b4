import DivanTransport
import Foundation

/// Sends large messages as fast as the transport accepts them, and waits until all have arrived.
///
/// `@unchecked Sendable` holds because everything happens on the transport's loop until `run` is
/// woken, and the result is read only then.
final class StreamSender: MessageReceiver, @unchecked Sendable {
    private let transport: any MessageTransport
    private let piece: [UInt8]
    private let done = DispatchSemaphore(value: 0)
    private var remainingCount: Int
    private var start = ContinuousClock.now
    private var seconds: Double?

    init(_ transport: any MessageTransport, pieceByteCount: Int, count: Int) {
        self.transport = transport
        piece = [UInt8](repeating: 7, count: pieceByteCount)
        remainingCount = count
    }

    /// Sends everything; returns the seconds until the other end has confirmed it.
    func run() throws -> Double {
        transport.start(self)
        done.wait()
        transport.close(code: 1000, reason: "")
        guard let seconds else { throw BenchFailure("the connection ended early") }
        return seconds
    }

    func transportDidOpen(_ peer: TransportPeer) {
        start = .now
        write()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        seconds = start.elapsedSeconds
        done.signal()
    }

    func transportDidDrainInput() {}
    func transportDidBecomeWritable() { write() }
    func transportDidClose(_ close: TransportClose) { done.signal() }

    private func write() {
        guard remainingCount > 0 else { return }
        while transport.isWritable, remainingCount > 0 {
            transport.send(piece)
            remainingCount -= 1
        }
        guard remainingCount == 0 else { return }
        let last: [UInt8] = [1]  // short, so that it comes back
        transport.send(last.span)
    }
}
