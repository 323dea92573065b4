public import DivanTLS
public import DivanWebSocket

/// Carries messages to one peer and back, in order, on one loop.
///
/// Call `start` once. `start` and `close` may be called from any thread; `send` and `isWritable`
/// belong on the loop. An application's own transport conforms to this and to nothing else.
public protocol MessageTransport: AnyObject, Sendable {
    /// Where the receiver is called.
    var loop: any EventLoop { get }

    /// Connects, or begins to read; everything that happens from here on goes to `receiver`.
    ///
    /// The receiver is kept until `transportDidClose`, which comes exactly once.
    func start(_ receiver: any MessageReceiver)

    /// Queues one message; what one turn of the loop queues goes out together when it ends.
    ///
    /// A transport that is not open drops it: the receiver hears of the end anyway.
    func send(_ message: Span<UInt8>)

    /// Whether more should be queued now; `transportDidBecomeWritable` tells when it is again.
    var isWritable: Bool { get }

    /// Says goodbye to the peer, waits a little for its answer, and ends the connection.
    func close(code: UInt16, reason: String)
}

extension MessageTransport {
    /// Queues one message.
    public func send(_ message: [UInt8]) {
        send(message.span)
    }

    /// Sends what `next` makes, as long as there is any and there is room.
    ///
    /// - Parameters:
    ///   - count: How many messages at most.
    ///   - buffer: Where they are made, empty before and after; its memory serves all of them.
    ///   - next: Appends a message to the buffer, or returns false.
    /// - Returns: How many were sent.
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

/// Hears what a transport has to say; every call comes on the transport's loop.
public protocol MessageReceiver: AnyObject, Sendable {
    /// The peer is there: messages may be sent.
    func transportDidOpen(_ peer: TransportPeer)

    /// A message arrived; the slice shares the transport's memory and is lent for this call.
    func transportDidReceive(_ message: ArraySlice<UInt8>)

    /// A text message arrived, valid UTF-8; otherwise as `transportDidReceive`.
    ///
    /// Only a WebSocket whose configuration says `acceptsText` delivers any. A receiver that does
    /// not implement this takes them as any other message.
    func transportDidReceiveText(_ message: ArraySlice<UInt8>)

    /// Everything that was readable has been delivered: the end of a batch.
    ///
    /// Where the connection ends with a batch, `transportDidClose` stands for both.
    func transportDidDrainInput()

    /// `MessageTransport.isWritable` is true again after it was false.
    func transportDidBecomeWritable()

    /// The connection has ended, or never came to be; the last call.
    func transportDidClose(_ close: TransportClose)
}

extension MessageReceiver {
    /// Takes text as any other message.
    public func transportDidReceiveText(_ message: ArraySlice<UInt8>) {
        transportDidReceive(message)
    }
}

/// Who is at the other end of an open transport.
public struct TransportPeer: Sendable {
    /// The subprotocol agreed on.
    public let subprotocol: String?
    /// The address and port of the other end; `nil` inside a process.
    public let address: SocketAddress?
    /// What the peer presented in the TLS handshake, leaf first.
    public let certificates: [TLSCertificate]
    /// Header fields of the server's answer, or of the client's request.
    public let headers: HTTPHeaders
    /// Whether TLS went on with an earlier session instead of a full handshake.
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
    /// Both ends said goodbye, with this code and reason.
    case clean(code: UInt16, reason: String, isByPeer: Bool)
    /// The connection could not be opened, or broke.
    case failed(TransportError)
}

/// Bytes on the wire, those of TLS and handshakes included.
public struct TransportStatistics: Equatable, Sendable {
    /// Bytes received.
    public var receivedByteCount: UInt64 = 0
    /// Bytes sent.
    public var sentByteCount: UInt64 = 0

    /// Creates statistics of a connection that has carried nothing.
    public init() {}
}
