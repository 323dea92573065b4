import DivanBLIP
import DivanCompression
import DivanTransport

/// Decodes every message of a connection and encodes it again, perhaps changed: this
/// turns a correct replicator into a broken one.
///
/// Sits between a replicator and its transport and speaks BLIP with both.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class Relay: MessageTransport, MessageReceiver, @unchecked Sendable {
    private let inner: any MessageTransport
    private let tampering: Tampering
    private var receiver: (any MessageReceiver)?
    private var near: Side
    private var far: Side
    private var isFlushing = false

    /// One of the two conversations.
    private struct Side {
        var connection: BLIPConnection
        /// Requests that were forwarded to this side, and the originals.
        var origins: [BLIPRequestNumber: (id: BLIPRequestID, profile: String)] = [:]
    }

    init(_ inner: any MessageTransport, codec: any CompressionCodec, tampering: Tampering) {
        self.inner = inner
        self.tampering = tampering
        near = Side(connection: BLIPConnection(codec: codec))
        far = Side(connection: BLIPConnection(codec: codec))
    }

    var loop: any EventLoop { inner.loop }
    var isWritable: Bool { inner.isWritable }

    func start(_ receiver: any MessageReceiver) {
        self.receiver = receiver
        inner.start(self)
    }

    func close(code: UInt16, reason: String) { inner.close(code: code, reason: reason) }

    func send(_ message: Span<UInt8>) {
        guard (try? near.connection.receive(message)) != nil else { return }
        Self.pass(from: &near, to: &far, isOutgoing: true, tampering)
        flushFar()
        flushNearSoon()
    }

    // MARK: Events of the transport

    func transportDidOpen(_ peer: TransportPeer) { receiver?.transportDidOpen(peer) }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        guard (try? far.connection.receive(message.span)) != nil else {
            return inner.close(code: 1011, reason: "damaged frame")
        }
        Self.pass(from: &far, to: &near, isOutgoing: false, tampering)
        flushNear()
        flushFar()
    }

    func transportDidDrainInput() { receiver?.transportDidDrainInput() }
    func transportDidBecomeWritable() { receiver?.transportDidBecomeWritable() }

    func transportDidClose(_ close: TransportClose) {
        let receiver = receiver
        self.receiver = nil
        receiver?.transportDidClose(close)
    }

    // MARK: Forwarding

    private static func pass(
        from source: inout Side,
        to target: inout Side,
        isOutgoing: Bool,
        _ tampering: Tampering
    ) {
        while let event = source.connection.next() {
            switch event {
            case .request(let request):
                var message = RelayedMessage(request)
                tampering.change(&message, isOutgoing: isOutgoing)
                let number = target.connection.send(
                    BLIPRequest(
                        properties: message.properties,
                        body: .bytes(message.body),
                        isUrgent: request.isUrgent,
                        isNoReply: request.isNoReply
                    )
                )
                if let number { target.origins[number] = (request.id, request.profile) }
            case .reply(let number, let reply):
                guard let origin = source.origins.removeValue(forKey: number) else { continue }
                var message = RelayedMessage(reply, to: origin.profile)
                tampering.change(&message, isOutgoing: isOutgoing)
                var passed = BLIPReply(properties: message.properties, body: .bytes(message.body))
                passed.isError = message.isError
                target.connection.reply(to: origin.id, with: passed)
            case .replyPiece, .bodyFailed:
                continue
            }
        }
    }

    private func flushFar() {
        var frame: [UInt8] = []
        while far.connection.nextFrame(into: &frame) {
            inner.send(frame.span)
            frame.removeAll(keepingCapacity: true)
        }
    }

    private func flushNear() {
        guard !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        var frame: [UInt8] = []
        while near.connection.nextFrame(into: &frame) {
            receiver?.transportDidReceive(frame[...])
            frame.removeAll(keepingCapacity: true)
        }
    }

    /// Not within the call of the replicator, which is in the middle of something.
    private func flushNearSoon() {
        guard near.connection.hasOutput else { return }
        loop.execute { [weak self] in
            self?.flushNear()
            self?.receiver?.transportDidDrainInput()
        }
    }
}

/// A request or a reply in transit through a relay.
struct RelayedMessage {
    /// The profile of the request.
    let profile: String
    let isReply: Bool
    var properties: BLIPProperties
    var body: [UInt8]
    var isError: Bool

    init(_ request: BLIPIncomingRequest) {
        profile = request.profile
        isReply = false
        properties = request.properties
        body = request.body
        isError = false
    }

    init(_ reply: BLIPIncomingReply, to profile: String) {
        self.profile = profile
        isReply = true
        properties = reply.properties
        body = reply.body
        isError = reply.error != nil
    }
}
