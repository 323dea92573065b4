import Dispatch
import DivanReplicator
import DivanTransport
import DivanWebSocket
import Foundation
import Synchronization

/// Carries a replication's messages over the application's own connection.
///
/// A message stream carries each message as it is; a byte stream carries WebSocket frames without a handshake, as in
/// Couchbase Lite.
final class MessageConnectionTransport: MessageTransport, ReplicatorConnection,
    @unchecked Sendable
{
    // Unchecked: mutable state is touched on `loop` only; the application's connection is called, and
    // let go of, on `calls` only, one call after another.

    /// Unconfirmed bytes at the application above which no more are produced; the same as for DivanTransport's sockets.
    private static let highWaterByteCount = 256 << 10

    /// Bytes that may arrive before the application reports that the connection is open.
    ///
    /// Many times what a peer sends before it gets a reply. Each message counts for some more.
    private static let earlyByteCount = 1 << 20
    private static let earlyMessageByteCount = 64

    /// Bytes that the application may have delivered and the loop has not read yet.
    ///
    /// A peer that respects its windows has at most two documents of the maximum size in transit. The application
    /// cannot be told to wait, so a peer that floods is cut off. Each message counts for some more.
    private static let unreadByteCount = 64 << 20

    private enum Phase {
        case new
        case opening
        case open
        case closed
    }

    let loop: any EventLoop
    /// The application's end; `nil` once it was closed.
    ///
    /// It usually keeps ours, as the official examples do, so that both would stay forever.
    private var connection: (any MessageEndpointConnection)?
    /// The protocol that both sides use, since no handshake negotiates one.
    private let subprotocol: String
    private let calls = DispatchQueue(label: "divan.message-connection")
    private let onClose: @Sendable () -> Void
    private let unreadByteCount = Atomic(0)
    private let isFlooded = Atomic(false)

    private var phase = Phase.new
    private var receiver: (any MessageReceiver)?
    private var hasReceiver = false  // at any time
    private var framing: WebSocketConnection?
    private var early: [[UInt8]] = []  // arrived before the application said that it is open
    private var earlyByteCount = 0
    private var unconfirmedByteCount = 0
    private var timer: TimerToken?

    init(
        _ connection: any MessageEndpointConnection,
        subprotocol: String,
        protocolType: ProtocolType,
        role: Role,
        loop: any EventLoop,
        onClose: @escaping @Sendable () -> Void = {}
    ) {
        self.connection = connection
        self.subprotocol = subprotocol
        self.loop = loop
        self.onClose = onClose
        if protocolType == .byteStream { framing = WebSocketConnection(role: role, now: loop.now) }
    }

    var isWritable: Bool { unconfirmedByteCount < Self.highWaterByteCount }

    func start(_ receiver: any MessageReceiver) {
        loop.execute {
            guard self.phase == .new else {
                // Closed before it started: whoever starts it is told once.
                let close = TransportClose.clean(code: 1000, reason: "", isByPeer: false)
                if !self.hasReceiver { receiver.transportDidClose(close) }
                self.hasReceiver = true
                return
            }
            self.phase = .opening
            self.hasReceiver = true
            self.receiver = receiver
            self.calls.async {
                self.connection?.open(connection: self) { isOpen, error in
                    self.loop.execute { self.opened(isOpen, error) }
                }
            }
        }
    }

    func send(_ message: Span<UInt8>) {
        guard phase == .open else { return }
        if framing != nil {
            framing?.send(message)
            flush()
        } else {
            hand(over: message.withUnsafeBufferPointer { Data($0) })
        }
    }

    func close(code: UInt16, reason: String) {
        loop.execute {
            guard self.phase != .closed else { return }
            if self.framing != nil, self.phase == .open {
                self.framing?.close(code: code, reason: reason, at: self.loop.now)
                self.flush()
                self.armTimer()
            } else {
                self.finish(.clean(code: code, reason: reason, isByPeer: false), error: nil)
            }
        }
    }

    func receive(message: Message) {
        guard !isFlooded.load(ordering: .relaxed) else { return }
        let bytes = Array(message.toData())
        let weight = bytes.count + Self.earlyMessageByteCount
        let waiting = unreadByteCount.add(weight, ordering: .relaxed).newValue
        guard waiting <= Self.unreadByteCount else {
            let isFirst = !isFlooded.exchange(true, ordering: .relaxed)
            if isFirst { loop.execute { self.cutOff(.unread(limit: Self.unreadByteCount)) } }
            return
        }
        loop.execute {
            self.unreadByteCount.subtract(weight, ordering: .relaxed)
            self.received(bytes)
        }
    }

    func close(error: MessagingError?) {
        loop.execute { self.failed(error) }
    }
}

// MARK: - On the loop

extension MessageConnectionTransport {
    private func opened(_ isOpen: Bool, _ error: MessagingError?) {
        guard phase == .opening else { return }
        guard isOpen else {
            return failed(error ?? MessagingError(error: Refused(), isRecoverable: false))
        }
        phase = .open
        receiver?.transportDidOpen(TransportPeer(subprotocol: subprotocol))
        armTimer()
        let waiting = early
        early = []
        earlyByteCount = 0
        for bytes in waiting { received(bytes) }
    }

    private func received(_ bytes: [UInt8]) {
        if phase == .opening { keepEarly(bytes) }
        guard phase == .open else { return }
        guard framing != nil else {
            receiver?.transportDidReceive(bytes[...])
            receiver?.transportDidDrainInput()
            return
        }
        framing?.receive(bytes.span, at: loop.now)
        do {
            while phase == .open, let event = try framing?.next() {
                switch event {
                case .message(let message, _): receiver?.transportDidReceive(message)
                case .pong: break
                case .closed(let status):
                    flush(isLast: true)
                    finish(
                        .clean(
                            code: status.code,
                            reason: status.reason,
                            isByPeer: status.isByPeer
                        ),
                        error: nil
                    )
                }
            }
        } catch {
            flush(isLast: true)
            finish(.failed(TransportError(.frame(error), place: "message endpoint")), error: error)
            return
        }
        guard phase == .open else { return }
        receiver?.transportDidDrainInput()
        flush()
        armTimer()
    }

    /// Keeps what arrives while the application is still opening the connection, up to a limit.
    private func keepEarly(_ bytes: [UInt8]) {
        earlyByteCount += bytes.count + Self.earlyMessageByteCount
        guard earlyByteCount <= Self.earlyByteCount else {
            early = []
            return cutOff(.early(limit: Self.earlyByteCount))
        }
        early.append(bytes)
    }

    private func cutOff(_ flood: Flood) {
        finish(.clean(code: 1009, reason: flood.description, isByPeer: false), error: flood)
    }

    /// The application reports that the transport has closed.
    private func failed(_ error: MessagingError?) {
        guard phase != .closed else { return }
        let code: UInt16 = error.map { $0.isRecoverable ? 4001 : 4002 } ?? 1000
        let reason = error.map { String(describing: $0.error) } ?? CloseCode.stoppedReason
        finish(.clean(code: code, reason: reason, isByPeer: true), error: error?.error)
    }

    private func finish(_ close: TransportClose, error: (any Error)?) {
        guard phase != .closed else { return }
        phase = .closed
        if let timer { loop.cancel(timer) }
        calls.async {
            let connection = self.connection
            self.connection = nil
            connection?.close(error: error) { self.onClose() }
        }
        receiver?.transportDidClose(close)
        receiver = nil
        framing = nil
        early = []
    }

    /// Delivers framed bytes; while too much is unconfirmed they wait in the framing, which merges the replies to a
    /// flood of pings into one.
    private func flush(isLast: Bool = false) {
        guard isLast || isWritable else { return }
        var output: [UInt8] = []
        framing?.appendOutput(to: &output)
        if !output.isEmpty { hand(over: Data(output)) }
    }

    private func hand(over data: Data) {
        // Each counts for some more, or many short ones could be held.
        unconfirmedByteCount += data.count + Self.earlyMessageByteCount
        let answer = Once()
        calls.async {
            self.connection?.send(message: Message(data)) { isSent, error in
                guard answer.isFirst() else { return }
                self.loop.execute { self.confirmed(data.count, isSent, error) }
            }
        }
    }

    private func confirmed(_ byteCount: Int, _ isSent: Bool, _ error: MessagingError?) {
        let wasWritable = isWritable
        unconfirmedByteCount -= byteCount + Self.earlyMessageByteCount
        guard phase == .open else { return }
        guard isSent else {
            return failed(error ?? MessagingError(error: Refused(), isRecoverable: true))
        }
        guard !wasWritable, isWritable else { return }
        flush()
        receiver?.transportDidBecomeWritable()
    }

    private func armTimer() {
        if let timer { loop.cancel(timer) }
        timer = framing?.deadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in self?.timerFired() }
        }
    }

    private func timerFired() {
        timer = nil
        guard phase == .open else { return }
        if framing?.advance(to: loop.now) != nil {
            finish(
                .failed(TransportError(.timeout(.pong), place: "message endpoint")),
                error: nil
            )
            return
        }
        flush()
        armTimer()
    }
}

/// A completion that the application calls twice counts once, or room would be made that is not there.
private final class Once: Sendable {
    private let isOver = Atomic(false)

    func isFirst() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

/// A peer that sends too much too early, or faster than it is read.
private enum Flood: Error, CustomStringConvertible {
    case early(limit: Int)
    case unread(limit: Int)

    var description: String {
        switch self {
        case .early(let limit):
            "message endpoint: the peer sent more than \(limit) bytes before the connection was "
                + "open; call the completion of open(connection:completion:) earlier"
        case .unread(let limit):
            "message endpoint: more than \(limit) received bytes are waiting to be processed; the "
                + "peer ignores flow control, or other work blocks its replication"
        }
    }
}

/// The application's transport failed without giving a reason.
private struct Refused: Error, CustomStringConvertible {
    let description = "the application's transport reported a failure without an error"
}
