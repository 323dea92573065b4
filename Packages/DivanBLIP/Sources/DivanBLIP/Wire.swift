/// The constants that both ends must agree on.
///
/// Source: `blip.md` §1 (frames), §3 (checksum), §6 (flow control).
enum Wire {
    /// The most bytes in a frame that we send; Sync Gateway ends the connection above 32,768.
    static let longFrameByteCount = 16_384
    /// The same while an urgent message is waiting.
    static let shortFrameByteCount = 4096
    /// Uncompressed bytes in a long frame that go-blip sends; a longer header leaves fewer.
    static let plainByteCount = 16_374
    static let checksumByteCount = 4
    /// A receiver acknowledges each time this many counted bytes have arrived.
    static let acknowledgeInterval = 50_000
    /// A sender pauses a message after this many counted bytes if none has been acknowledged yet.
    static let windowByteCount = 128_000
    /// The most unacknowledged bytes of a message much of which has been acknowledged.
    ///
    /// Our own constant: with a latency of 100 ms a connection carries at most ten times this per second.
    static let widestWindowByteCount = 1_024_000
}
