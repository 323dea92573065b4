public import DivanTransport

/// One end of a pair that passes messages between two loops: a minimal transport.
///
/// `@unchecked Sendable` is correct because the state is used only on `loop`; calls from the other
/// end or another thread switch to it first.
public final class MailboxTransport: MessageTransport, @unchecked Sendable {
    private enum State { case new, waiting, open, ended }

    /// The loop on which the receiver is called.
    public let loop: any EventLoop
    private var state = State.new
    private var receiver: (any MessageReceiver)?
    private var other: MailboxTransport?
    private var waitingByteCount = 0  // sent, but not delivered
    private var isFull = false

    private init(_ loop: any EventLoop) { self.loop = loop }

    /// Creates two ends, each on a loop.
    public static func pair(
        _ first: any EventLoop,
        _ second: any EventLoop
    ) -> (MailboxTransport, MailboxTransport) {
        let ends = (MailboxTransport(first), MailboxTransport(second))
        (ends.0.other, ends.1.other) = (ends.1, ends.0)  // before other code has them
        return ends
    }

    /// Opens once the other end has started, too.
    public func start(_ receiver: any MessageReceiver) {
        loop.execute {
            guard self.state == .new else { return }
            self.state = .waiting
            self.receiver = receiver
            self.tellOther { $0.otherStarted(isAnswer: false) }
        }
    }

    /// Sends a copy to the other end.
    public func send(_ message: Span<UInt8>) {
        guard state == .open else { return }
        let copy = message.withUnsafeBufferPointer { Array($0) }
        waitingByteCount += copy.count
        tellOther { $0.take(copy) }
    }

    /// False from 256 KiB on, until the other end has received half of it.
    public var isWritable: Bool {
        if waitingByteCount >= 256 << 10 { isFull = true }
        return state == .open && !isFull
    }

    /// Closes after the messages that were sent.
    public func close(code: UInt16, reason: String) {
        loop.execute {
            self.tellOther { $0.end(.clean(code: code, reason: reason, isByPeer: true)) }
            self.end(.clean(code: code, reason: reason, isByPeer: false))
        }
    }

    private func tellOther(_ work: @escaping @Sendable (MailboxTransport) -> Void) {
        guard let other else { return }
        other.loop.execute { work(other) }
    }

    private func otherStarted(isAnswer: Bool) {
        guard state == .waiting else { return }
        state = .open
        if !isAnswer { tellOther { $0.otherStarted(isAnswer: true) } }
        receiver?.transportDidOpen(TransportPeer(subprotocol: nil))
    }

    private func take(_ message: [UInt8]) {
        guard state == .open else { return }
        receiver?.transportDidReceive(message[...])
        receiver?.transportDidDrainInput()
        tellOther { $0.wasTaken(message.count) }
    }

    private func wasTaken(_ byteCount: Int) {
        waitingByteCount -= byteCount
        guard state == .open, isFull, waitingByteCount <= 128 << 10 else { return }
        isFull = false
        receiver?.transportDidBecomeWritable()
    }

    private func end(_ close: TransportClose) {
        guard state != .ended else { return }
        let receiver = receiver
        (state, self.receiver, other) = (.ended, nil, nil)
        receiver?.transportDidClose(close)
    }
}
