/// The limits on the memory and work that a peer can cause; every member is a maximum.
///
/// A connection that exceeds a limit is closed with an error that names the limit.
public struct WebSocketLimits: Equatable, Sendable {
    /// Bytes in one frame's payload.
    ///
    /// The default, 1 MiB, is what Couchbase Lite accepts (protocol sheet `blip.md` §1).
    public var payloadByteCount: Int

    /// Bytes in one message, in all its fragments.
    ///
    /// The default, 1 MiB, equals that of one frame: known peers never fragment messages.
    public var messageByteCount: Int

    /// Fragments of one message.
    ///
    /// The default, 1,024, stops a flood of tiny fragments, each of which costs the parsing of a header.
    public var fragmentCount: Int

    /// Pongs in the output queue.
    ///
    /// The default, 16, answers each of a few pings that arrive together; in a flood only the latest ping is
    /// answered, as RFC 6455 §5.5.3 allows.
    public var queuedPongCount: Int

    /// Bytes of a handshake's headers, request or response, including the final empty line.
    ///
    /// The default, 16 KiB, is twice what a client with large cookies sends.
    public var headByteCount: Int

    /// Bytes of one header line, without its line ending.
    ///
    /// The default, 8 KiB, is the limit of common servers.
    public var lineByteCount: Int

    /// Header lines of a handshake; the default, 100, is the limit of common servers.
    public var headerCount: Int

    /// Bytes of the text that explains a refusal; the rest is truncated.
    public var explanationByteCount: Int

    /// Creates limits; the defaults are suitable for peers on the Internet.
    public init(
        payloadByteCount: Int = 1 << 20,
        messageByteCount: Int = 1 << 20,
        fragmentCount: Int = 1024,
        queuedPongCount: Int = 16,
        headByteCount: Int = 16 << 10,
        lineByteCount: Int = 8 << 10,
        headerCount: Int = 100,
        explanationByteCount: Int = 4 << 10
    ) {
        precondition(payloadByteCount >= 125, "payloadByteCount must fit a control frame")
        precondition(queuedPongCount >= 1, "queuedPongCount must be at least 1")
        self.payloadByteCount = payloadByteCount
        self.messageByteCount = messageByteCount
        self.fragmentCount = fragmentCount
        self.queuedPongCount = queuedPongCount
        self.headByteCount = headByteCount
        self.lineByteCount = lineByteCount
        self.headerCount = headerCount
        self.explanationByteCount = explanationByteCount
    }
}
