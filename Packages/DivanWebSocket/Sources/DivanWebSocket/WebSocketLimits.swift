/// What a peer may make us hold or do; every member is a maximum.
///
/// Reaching a limit ends the connection with an error that names it; memory never grows beyond it.
public struct WebSocketLimits: Equatable, Sendable {
    /// Bytes in one frame's payload.
    ///
    /// The default, 1 MiB, is what Couchbase Lite accepts (protocol sheet `blip.md` §1).
    public var payloadByteCount: Int

    /// Bytes in one message, however many fragments it has.
    ///
    /// The default, 1 MiB, equals that of one frame: real peers never fragment.
    public var messageByteCount: Int

    /// Fragments of one message.
    ///
    /// The default, 1,024, stops a flood of tiny fragments, each of which costs the parsing of a header.
    public var fragmentCount: Int

    /// Pongs that wait to be taken.
    ///
    /// The default, 16, answers each of a handful of pings that arrived in one piece; in a flood only the latest ping
    /// is answered, as RFC 6455 §5.5.3 allows.
    public var queuedPongCount: Int

    /// Bytes of a handshake's head, request or response, including the final empty line.
    ///
    /// The default, 16 KiB, is twice what a client with large cookies sends.
    public var headByteCount: Int

    /// Bytes of one line of a head, without its line ending.
    ///
    /// The default, 8 KiB, is what common servers accept.
    public var lineByteCount: Int

    /// Header lines of a head; the default, 100, is what common servers accept.
    public var headerCount: Int

    /// Bytes kept of the text that explains a refusal; the rest is cut off.
    public var explanationByteCount: Int

    /// Creates limits; the defaults suit a peer on the open Internet.
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
