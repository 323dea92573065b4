import Synchronization

/// Two transports in one process, connected to each other: without socket, frames or handshake.
///
/// For two databases of one program, and for tests. Each end has its own loop.
public final class InProcessPair: Sendable {
    /// One end.
    public let first: any MessageTransport
    /// The other end.
    public let second: any MessageTransport

    /// Creates a pair; it opens when both ends have started.
    ///
    /// - Parameters:
    ///   - subprotocol: The subprotocol that is reported to both ends.
    ///   - firstLoop: The loop on which the first end's receiver is called.
    ///   - secondLoop: The loop on which the second end's receiver is called; can be the same loop.
    ///   - limits: The high- and low-water marks.
    public init(
        subprotocol: String?,
        firstLoop: any EventLoop = EventLoopGroup.shared.next(),
        secondLoop: any EventLoop = EventLoopGroup.shared.next(),
        limits: TransportLimits = TransportLimits()
    ) {
        let peer = TransportPeer(subprotocol: subprotocol)
        let first = InProcessTransport(peer: peer, loop: firstLoop, limits: limits)
        let second = InProcessTransport(peer: peer, loop: secondLoop, limits: limits)
        first.join(second)
        second.join(first)
        self.first = first
        self.second = second
    }
}

/// One end of an `InProcessPair`.
///
/// `@unchecked Sendable` holds because the stored state is touched only on `loop`: anything from the other end or
/// another thread hops there first, except for a count, which is atomic.
private final class InProcessTransport: MessageTransport, @unchecked Sendable {
    private enum State {
        case new
        case started
        case open
        case closed
    }

    /// The most waiting batches that a receiver treats as one; if it is the slower end, it does its work per batch less
    /// often.
    private static let undrainedLimit = 32

    let loop: any EventLoop
    private let peer: TransportPeer
    private let limits: TransportLimits
    private var state = State.new
    private var other: InProcessTransport?
    private var otherHasStarted = false
    private var receiver: (any MessageReceiver)?
    private var outgoing = MessageBatch()
    // Batches sent to this end and not delivered yet, and those delivered since input was drained.
    private let waitingCount = Atomic(0)
    private var undrainedCount = 0
    private var unreadByteCount = 0  // sent, and not delivered yet
    private var isWaitingForRoom = false

    init(peer: TransportPeer, loop: any EventLoop, limits: TransportLimits) {
        self.peer = peer
        self.loop = loop
        self.limits = limits
    }

    /// Called once, before anyone else has a reference to this end.
    func join(_ other: InProcessTransport) {
        self.other = other
    }

    // MARK: MessageTransport

    func start(_ receiver: any MessageReceiver) {
        loop.execute {
            guard self.state == .new else {
                let close = TransportClose.clean(code: 1000, reason: "", isByPeer: false)
                if self.receiver == nil { receiver.transportDidClose(close) }
                return
            }
            self.state = .started
            self.receiver = receiver
            self.tell { $0.didStart() }
            self.openIfReady()
        }
    }

    func send(_ message: Span<UInt8>) {
        guard state == .open else { return }
        if outgoing.isEmpty { loop.execute { self.flush() } }
        outgoing.append(message)
        unreadByteCount += message.count
    }

    var isWritable: Bool {
        if unreadByteCount >= limits.highWaterByteCount { isWaitingForRoom = true }
        return !isWaitingForRoom && state == .open
    }

    func close(code: UInt16, reason: String) {
        loop.execute {
            guard self.state != .closed else { return }
            self.flush()
            self.tell { $0.end(.clean(code: code, reason: reason, isByPeer: true)) }
            self.end(.clean(code: code, reason: reason, isByPeer: false))
        }
    }

    // MARK: Between the ends

    /// Runs `work` at the other end, after everything sent there before.
    private func tell(_ work: @escaping @Sendable (InProcessTransport) -> Void) {
        guard let other else { return }
        other.loop.execute { work(other) }
    }

    private func didStart() {
        otherHasStarted = true
        openIfReady()
    }

    private func openIfReady() {
        guard state == .started, otherHasStarted else { return }
        state = .open
        receiver?.transportDidOpen(peer)
    }

    private func flush() {
        guard !outgoing.isEmpty else { return }
        let batch = outgoing
        outgoing = MessageBatch(asLongAs: batch)
        other?.waitingCount.add(1, ordering: .relaxed)
        tell { $0.deliver(batch) }
    }

    private func deliver(_ batch: MessageBatch) {
        var start = 0
        for end in batch.ends where state == .open {
            receiver?.transportDidReceive(batch.bytes[start..<end])
            start = end
        }
        let isLast = waitingCount.subtract(1, ordering: .relaxed).newValue == 0
        guard state == .open else { return }
        undrainedCount += 1
        if isLast || undrainedCount >= Self.undrainedLimit {
            undrainedCount = 0
            receiver?.transportDidDrainInput()
        }
        // At once, because more may wait here: the other end works while this end continues.
        flush()
        tell { $0.didDeliver(batch.bytes.count) }
    }

    private func didDeliver(_ byteCount: Int) {
        unreadByteCount -= byteCount
        guard state == .open, isWaitingForRoom, unreadByteCount <= limits.lowWaterByteCount
        else { return }
        isWaitingForRoom = false
        receiver?.transportDidBecomeWritable()
    }

    private func end(_ close: TransportClose) {
        guard state != .closed else { return }
        state = .closed
        let receiver = receiver
        self.receiver = nil
        other = nil
        receiver?.transportDidClose(close)
    }
}

/// What one end sent in one turn: all messages in one piece of memory, one after another.
private struct MessageBatch {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    var isEmpty: Bool { ends.isEmpty }

    init() {}

    /// Creates an empty batch with room for as much as another holds, since the next one is often as long.
    init(asLongAs other: MessageBatch) {
        bytes.reserveCapacity(other.bytes.count)
        ends.reserveCapacity(other.ends.count)
    }

    mutating func append(_ message: Span<UInt8>) {
        message.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }
}
