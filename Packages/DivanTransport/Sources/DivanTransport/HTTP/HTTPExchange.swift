public import DivanHTTP
public import DivanTLS
import Synchronization

/// A request that is waiting for its response.
///
/// Read the body at most once, and answer once, on any thread. A second call of either is ignored. If you do not
/// answer, the client waits until its own timeout or the server's.
public final class HTTPExchange: Sendable {
    /// The request.
    public let request: HTTPRequest
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

    /// What an exchange asks of its connection.
    enum Demand: Sendable {
        case body(limit: Int?, @Sendable (Result<[UInt8], HTTPError>) -> Void)
        case answer(HTTPResponse)
        case keep(@Sendable () -> Bool)
    }

    private let hasAskedForBody = Atomic<Bool>(false)
    private let isAnswered = Atomic<Bool>(false)
    private let demand: @Sendable (Demand) -> Void

    init(
        _ request: HTTPRequest,
        address: SocketAddress,
        certificates: [TLSCertificate],
        isSecure: Bool,
        loop: any EventLoop,
        demand: @escaping @Sendable (Demand) -> Void
    ) {
        self.request = request
        self.address = address
        self.certificates = certificates
        self.isSecure = isSecure
        self.loop = loop
        self.demand = demand
    }

    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - byteLimit: The maximum size in bytes; `nil` means `HTTPLimits.bodyByteCount`.
    ///   - completion: Called on the connection's loop with the body, or with the error to answer with; not
    ///     called if the client disconnects first.
    public func readBody(
        byteLimit: Int? = nil,
        _ completion: @escaping @Sendable (Result<[UInt8], HTTPError>) -> Void
    ) {
        guard !hasAskedForBody.exchange(true, ordering: .relaxed) else { return }
        demand(.body(limit: byteLimit, completion))
    }

    /// Keeps the connection open, during the response and after it, only while `isWelcome` returns true.
    ///
    /// The closure is called now and at each `HTTPServer.dismissUnwelcome`, on the connection's loop, so it must be
    /// fast; the next request on the connection can replace it.
    public func keepConnection(while isWelcome: @escaping @Sendable () -> Bool) {
        demand(.keep(isWelcome))
    }

    /// Sends the response.
    public func answer(_ response: HTTPResponse) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        demand(.answer(response))
    }
}
