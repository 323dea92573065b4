/// The memory limits of `divan wire`; every member is a maximum.
enum WireLimits {
    /// Bytes of one WebSocket message: more than any peer sends, so that too large ones are shown.
    static let messageByteCount = 16 << 20
    /// Bytes that one side may send before the other's half of the handshake is known.
    static let earlyByteCount = 1 << 20
    /// Replies that may arrive for requests that were not recorded.
    static let unseenRequestCount: UInt64 = 100_000
    /// Unanswered requests, by direction; older ones are forgotten.
    static let openRequestCount = 100_000
    /// Connections that are followed at a time.
    static let connectionCount = 1000
    /// Bytes that arrived after a gap in one direction of a capture.
    static let aheadByteCount = 4 << 20
    /// Bytes of one packet of a capture; tcpdump's default without `-s`.
    static let packetByteCount = 262_144
    /// Bytes that wait in the proxy for a side that does not read.
    static let queuedByteCount = 1 << 20
    /// Bytes of the head of a request or a response.
    static let headByteCount = 64 << 10
    /// With files of plain bytes, events that wait for those of the other direction.
    static let waitingEventCount = 100_000
}
