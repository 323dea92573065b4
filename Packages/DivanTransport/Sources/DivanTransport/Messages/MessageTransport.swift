public import DivanTLS
public import DivanWebSocket

/// Carries messages to one peer and back, in order, on one loop.
///
/// Call `start` once. `start` and `close` can be called from any thread; `send` and `isWritable` only on the loop.
/// A custom transport needs to conform only to this protocol.
public protocol MessageTransport: AnyObject, Sendable {
    /// The loop on which the receiver is called.
    var loop: any EventLoop { get }

    /// Connects, or starts to read; all later events are reported to `receiver`.
    ///
    /// The receiver is retained until `transportDidClose`, which is called exactly once.
    func start(_ receiver: any MessageReceiver)

    /// Queues one message; the messages queued in one turn of the loop are sent together when it ends.
    ///
    /// A transport that is not open discards it: the end of the connection is reported to the receiver in any case.
    func send(_ message: Span<UInt8>)

    /// Whether more messages should be queued now; `transportDidBecomeWritable` reports when it is true again.
    var isWritable: Bool { get }

    /// Starts the closing handshake, waits briefly for the peer's answer, and closes the connection.
    func close(code: UInt16, reason: String)
}

extension MessageTransport {
    /// Queues one message.
    public func send(_ message: [UInt8]) {
        send(message.span)
    }

    /// Sends the messages that `next` produces, while there are messages and the transport is writable.
    ///
    /// - Parameters:
    ///   - count: The maximum number of messages to send.
    ///   - buffer: The buffer for building messages, empty before and after; its memory is reused for all
    ///     messages.
    ///   - next: Appends a message to the buffer, or returns false.
    /// - Returns: The number of sent messages.
    public func send(
        upTo count: Int = .max,
        through buffer: inout [UInt8],
        _ next: (inout [UInt8]) -> Bool
    ) -> Int {
        var sentCount = 0
        while sentCount < count, isWritable, next(&buffer) {
            send(buffer.span)
            buffer.removeAll(keepingCapacity: true)
            sentCount += 1
        }
        return sentCount
    }
}

/// Receives a transport's messages and events; every call is made on the transport's loop.
public protocol MessageReceiver: AnyObject, Sendable {
    /// The connection is open: messages can be sent.
    func transportDidOpen(_ peer: TransportPeer)

    /// A message arrived; the slice shares the transport's memory and is valid only during this call.
    func transportDidReceive(_ message: ArraySlice<UInt8>)

    /// A text message arrived, valid UTF-8; otherwise like `transportDidReceive`.
    ///
    /// Only a WebSocket configured with `acceptsText` delivers any. A receiver that does not implement this method
    /// receives them like any other message.
    func transportDidReceiveText(_ message: ArraySlice<UInt8>)

    /// All readable data has been delivered: the end of a batch.
    ///
    /// If the connection ends with a batch, `transportDidClose` is called instead.
    func transportDidDrainInput()

    /// `MessageTransport.isWritable` is true again after it was false.
    func transportDidBecomeWritable()

    /// The connection has ended, or was never opened; the last call.
    func transportDidClose(_ close: TransportClose)
}

extension MessageReceiver {
    /// Handles text like any other message.
    public func transportDidReceiveText(_ message: ArraySlice<UInt8>) {
        transportDidReceive(message)
    }
}

/// The peer at the other end of an open transport.
public struct TransportPeer: Sendable {
    /// The negotiated subprotocol.
    public let subprotocol: String?
    /// The address and port of the peer; `nil` within a process.
    public let address: SocketAddress?
    /// The peer's certificates from the TLS handshake, leaf first.
    public let certificates: [TLSCertificate]
    /// Header fields of the server's answer, or of the client's request.
    public let headers: HTTPHeaders
    /// Whether TLS resumed an earlier session instead of a full handshake.
    public let isResumed: Bool

    /// Describes a peer.
    public init(
        subprotocol: String?,
        address: SocketAddress? = nil,
        certificates: [TLSCertificate] = [],
        headers: HTTPHeaders = [:],
        isResumed: Bool = false
    ) {
        self.subprotocol = subprotocol
        self.address = address
        self.certificates = certificates
        self.headers = headers
        self.isResumed = isResumed
    }
}

/// How a transport ended.
public enum TransportClose: Sendable {
    /// Both ends completed the closing handshake, with this code and reason.
    case clean(code: UInt16, reason: String, isByPeer: Bool)
    /// The connection could not be opened, or failed.
    case failed(TransportError)
}

/// Bytes on the wire, including those of TLS and handshakes.
public struct TransportStatistics: Equatable, Sendable {
    /// Bytes received.
    public var receivedByteCount: UInt64 = 0
    /// Bytes sent.
    public var sentByteCount: UInt64 = 0

    /// Creates statistics with all counts at zero.
    public init() {}
}
