/// The limits on the memory that a peer can use; all members are maxima.
public struct BLIPLimits: Sendable {
    /// Bytes in a received frame; 1 MiB is the limit of Couchbase Lite.
    public var frameByteCount = 1 << 20
    /// Uncompressed bytes in a message that is not streamed.
    ///
    /// Sync Gateway rejects documents above 20 MB, and blobs are streamed.
    public var messageByteCount = 32 << 20
    /// Uncompressed bytes of all incomplete messages together: two of the largest.
    public var openByteCount = 64 << 20
    /// Incomplete requests of the peer at any time; typical peers interleave a few.
    public var openMessageCount = 1000
    /// Requests of the peer whose replies have not been sent; typical peers have a few hundred.
    public var unansweredRequestCount = 10_000
    /// Uncompressed bytes of replies that have not been sent when another request arrives.
    ///
    /// Only a peer that sends requests and does not read the replies reaches it. Streamed bodies do not count.
    public var queuedReplyByteCount = 32 << 20
    /// Bytes of a message's properties; the limit of Couchbase Lite.
    public var propertiesByteCount = 102_400

    /// Creates limits for an untrusted peer.
    public init() {}
}
