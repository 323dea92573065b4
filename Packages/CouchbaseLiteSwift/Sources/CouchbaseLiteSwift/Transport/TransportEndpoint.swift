import DivanTLS
public import DivanTransport

/// A peer that is reached over a custom transport of the application.
///
/// Conform to `MessageTransport` of DivanTransport, and test the transport with `MessageTransportContract`. The peer
/// accepts the other end with a ``TransportListener``. An addition to the official API; ``MessageEndpoint`` is the
/// official way, with a copy of each message.
///
/// ```swift
/// let endpoint = TransportEndpoint(uid: "radio-7") { loop, _ in RadioTransport(station: 7, loop: loop) }
/// ```
public struct TransportEndpoint: Endpoint, Sendable {
    /// Creates the transport for one connection attempt, not started.
    ///
    /// It is called on an internal thread and must return quickly. The loop is the one on which the replicator runs;
    /// the transport's `loop` must be this one. The array contains the subprotocols that the replicator supports, the
    /// preferred standard one first. A transport that agrees on one of them with the other side reports it in
    /// `TransportPeer.subprotocol`; with `nil`, both sides use the first one.
    public typealias TransportFactory =
        @Sendable (_ loop: any EventLoop, _ subprotocols: [String]) throws -> any MessageTransport

    /// A permanent ID of the peer; checkpoints are stored under it.
    public let uid: String
    let makeTransport: TransportFactory

    /// Creates an endpoint.
    public init(uid: String, makeTransport: @escaping TransportFactory) {
        self.uid = uid
        self.makeTransport = makeTransport
    }
}

/// Reaches a peer over transports that the application creates.
struct TransportConnector: Connector {
    let isInProcess = false
    let compresses = true
    let usesDeltas = true
    let retries = true
    let serverCertificate: DivanTLS.TLSCertificate? = nil

    let endpoint: TransportEndpoint

    func makeTransport(
        on loop: EpollLoop,
        offering subprotocols: [String]
    ) throws -> any MessageTransport {
        let transport = try ServiceCallback.run { try endpoint.makeTransport(loop, subprotocols) }
        return NamedTransport(transport, standard: subprotocols[0])
    }
}

/// A transport that reports a standard subprotocol if the transport inside agreed on none.
///
/// `@unchecked Sendable`: the state is accessed on the loop only, after `start`.
final class NamedTransport: MessageTransport, MessageReceiver, @unchecked Sendable {
    private let inner: any MessageTransport
    private let standard: String
    private var receiver: (any MessageReceiver)?

    init(_ inner: any MessageTransport, standard: String) {
        self.inner = inner
        self.standard = standard
    }

    var loop: any EventLoop { inner.loop }
    var isWritable: Bool { inner.isWritable }

    func start(_ receiver: any MessageReceiver) {
        loop.execute {
            self.receiver = receiver
            self.inner.start(self)
        }
    }

    func send(_ message: Span<UInt8>) { inner.send(message) }

    func close(code: UInt16, reason: String) {
        // After `start`, which any thread may have called just before.
        loop.execute { self.inner.close(code: code, reason: reason) }
    }

    func transportDidOpen(_ peer: TransportPeer) {
        receiver?.transportDidOpen(
            TransportPeer(
                subprotocol: peer.subprotocol ?? standard,
                address: peer.address,
                certificates: peer.certificates,
                headers: peer.headers,
                isResumed: peer.isResumed
            )
        )
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        receiver?.transportDidReceive(message)
    }

    func transportDidReceiveText(_ message: ArraySlice<UInt8>) {
        receiver?.transportDidReceiveText(message)
    }

    func transportDidDrainInput() { receiver?.transportDidDrainInput() }

    func transportDidBecomeWritable() { receiver?.transportDidBecomeWritable() }

    func transportDidClose(_ close: TransportClose) {
        let receiver = receiver
        self.receiver = nil
        receiver?.transportDidClose(close)
    }
}
