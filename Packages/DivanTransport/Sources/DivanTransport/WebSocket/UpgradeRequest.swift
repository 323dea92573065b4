public import DivanTLS
public import DivanWebSocket
import Synchronization

/// A client's request for an upgrade, which is waiting for an answer.
///
/// Answer once, on any thread; later answers are ignored. Without an answer, the request is refused
/// after `TransportLimits.decisionTimeout`.
public final class UpgradeRequest: Sendable {
    /// The request: path, headers, subprotocols.
    public let handshake: HandshakeRequest
    /// The client's address and port.
    public let address: SocketAddress
    /// The client's certificates from the TLS handshake, leaf first.
    public let certificates: [TLSCertificate]
    /// Whether the connection uses TLS.
    public let isSecure: Bool
    /// The connection's loop.
    public let loop: any EventLoop
    /// Whether the client has disconnected; for a `WorkQueue`.
    public let departure = DisconnectSignal()

    enum Answer: Sendable {
        case accept(
            subprotocol: String?,
            headers: HTTPHeaders,
            onOpen: @Sendable (WebSocketServerTransport) -> Void
        )
        case refuse(HandshakeRefusal)
    }

    private let isAnswered = Atomic<Bool>(false)
    private let answer: @Sendable (Answer) -> Void

    init(
        _ handshake: HandshakeRequest,
        address: SocketAddress,
        certificates: [TLSCertificate],
        isSecure: Bool,
        loop: any EventLoop,
        answer: @escaping @Sendable (Answer) -> Void
    ) {
        self.handshake = handshake
        self.address = address
        self.certificates = certificates
        self.isSecure = isSecure
        self.loop = loop
        self.answer = answer
    }

    /// Upgrades the connection.
    ///
    /// A request with a `defect` is refused in any case, with the status for that defect.
    ///
    /// - Parameters:
    ///   - subprotocol: One of the offered subprotocols, or `nil` for none.
    ///   - headers: Further header fields of the response.
    ///   - onOpen: Called with the open transport, on its loop; call its `start` there.
    public func accept(
        subprotocol: String?,
        headers: HTTPHeaders = [:],
        onOpen: @escaping @Sendable (WebSocketServerTransport) -> Void
    ) {
        send(.accept(subprotocol: subprotocol, headers: headers, onOpen: onOpen))
    }

    /// Refuses the upgrade; the connection is closed after the response.
    public func refuse(_ refusal: HandshakeRefusal) {
        send(.refuse(refusal))
    }

    private func send(_ answer: Answer) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        self.answer(answer)
    }
}
