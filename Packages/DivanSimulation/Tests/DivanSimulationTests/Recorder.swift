import DivanTransport
import Synchronization

/// A receiver that records its calls.
final class Recorder: MessageReceiver {
    /// What was recorded so far.
    struct ReceivedEvents: Sendable {
        var peer: TransportPeer?
        var messages: [[UInt8]] = []
        var batchCount = 0
        var writableCount = 0
        var close: TransportClose?

        var messageCount: Int { messages.count }

        /// The error that ended the transport, if any.
        var error: TransportError? {
            if case .failed(let error) = close { error } else { nil }
        }

        /// The close that ended the transport, as `code reason byPeer`.
        var goodbye: String? {
            guard case .clean(let code, let reason, let isByPeer) = close else { return nil }
            return "\(code) \(reason) \(isByPeer)"
        }
    }

    private let heard = Mutex(ReceivedEvents())
    private let onOpen: @Sendable () -> Void
    private let onMessage: @Sendable (ArraySlice<UInt8>) -> Void

    init(
        onOpen: @escaping @Sendable () -> Void = {},
        onMessage: @escaping @Sendable (ArraySlice<UInt8>) -> Void = { _ in }
    ) {
        self.onOpen = onOpen
        self.onMessage = onMessage
    }

    var events: ReceivedEvents { heard.withLock { $0 } }

    func transportDidOpen(_ peer: TransportPeer) {
        heard.withLock { $0.peer = peer }
        onOpen()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        heard.withLock { $0.messages.append(Array(message)) }
        onMessage(message)
    }

    func transportDidDrainInput() { heard.withLock { $0.batchCount += 1 } }

    func transportDidBecomeWritable() { heard.withLock { $0.writableCount += 1 } }

    func transportDidClose(_ close: TransportClose) { heard.withLock { $0.close = close } }
}

/// Bytes that differ from message to message.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 >> 3) }
}
