/// What `divan wire` holds of a conversation; every member is a maximum.
enum WireLimits {
    /// Bytes of one WebSocket message: more than any peer sends, so that too large ones are shown.
    static let messageByteCount = 16 << 20
    /// Bytes that one side may send before the other's half of the handshake is known.
    static let earlyByteCount = 1 << 20
    /// Replies that may come for requests that nobody saw.
    static let unseenRequestCount: UInt64 = 100_000
    /// Requests whose reply has not come, by direction; older ones are forgotten.
    static let openRequestCount = 100_000
    /// Connections that are followed at a time.
    static let connectionCount = 1000
    /// Bytes that came ahead of a gap in one direction of a capture.
    static let aheadByteCount = 4 << 20
    /// Bytes of one packet of a capture; what tcpdump writes without `-s`.
    static let packetByteCount = 262_144
    /// Bytes that wait in the proxy for a side that does not read.
    static let queuedByteCount = 1 << 20
    /// Bytes of the head of a request or an answer.
    static let headByteCount = 64 << 10
    /// Events of a connection that wait for those of the other direction, with files of plain bytes.
    static let waitingEventCount = 100_000
}
