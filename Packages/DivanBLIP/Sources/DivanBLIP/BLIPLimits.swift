/// What a peer may make us hold; every member is a maximum.
public struct BLIPLimits: Sendable {
    /// Bytes in one frame that we receive; 1 MiB is what Couchbase Lite accepts.
    public var frameByteCount = 1 << 20
    /// Uncompressed bytes in one message that is held whole.
    ///
    /// 32 MiB: Sync Gateway refuses documents above 20 MB, and blobs are streamed.
    public var messageByteCount = 32 << 20
    /// Uncompressed bytes of all incomplete messages together: two of the largest.
    public var openByteCount = 64 << 20
    /// Incomplete requests of the peer at any time; real peers interleave a few.
    public var openMessageCount = 1000
    /// Requests of the peer whose replies have not been sent; real peers have some hundred.
    public var unansweredRequestCount = 10_000
    /// Uncompressed bytes of replies that have not been sent when another request arrives.
    ///
    /// 32 MiB, one of the largest messages: only a peer that sends requests and does not read the replies reaches it.
    /// Streamed bodies do not count.
    public var queuedReplyByteCount = 32 << 20
    /// Bytes of a message's properties; Couchbase Lite's own limit.
    public var propertiesByteCount = 102_400

    /// Creates limits for an untrusted peer; change only what you must.
    public init() {}
}
