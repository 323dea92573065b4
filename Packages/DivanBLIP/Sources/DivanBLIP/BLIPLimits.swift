/// What a peer may make us hold; every member is a maximum.
public struct BLIPLimits: Sendable {
    /// Bytes in one frame that we receive; 1 MiB is what Couchbase Lite accepts.
    public var frameByteCount = 1 << 20
    /// Plain bytes in one message that is held whole.
    ///
    /// 32 MiB: Sync Gateway refuses documents above 20 MB, and blobs are streamed.
    public var messageByteCount = 32 << 20
    /// Plain bytes of all incomplete messages together: two of the largest.
    public var openByteCount = 64 << 20
    /// Requests of the peer that are incomplete at a time; real peers interleave a few.
    public var openMessageCount = 1000
    /// Requests of the peer whose replies have not left; real peers keep some hundred.
    public var unansweredRequestCount = 10_000
    /// Plain bytes of replies that have not left, when a further request comes in.
    ///
    /// 32 MiB, one of the largest messages: only a peer that asks and does not read the answers
    /// gets there. Bodies that are streamed do not count.
    public var queuedReplyByteCount = 32 << 20
    /// Bytes of a message's properties; Couchbase Lite's own limit.
    public var propertiesByteCount = 102_400

    /// Creates the limits for a peer that nobody trusts; change what you must.
    public init() {}
}
