/// The numbers that both ends agree on.
///
/// Source: `blip.md` §1 (frames), §3 (checksum), §6 (flow control).
enum Wire {
    /// Most bytes in a frame that we send; Sync Gateway ends the connection above 32,768.
    static let longFrameByteCount = 16_384
    /// The same while an urgent message waits behind.
    static let shortFrameByteCount = 4096
    /// Plain bytes in a long frame that go-blip sends; a longer header leaves fewer.
    static let plainByteCount = 16_374
    static let checksumByteCount = 4
    /// A receiver acknowledges each time so many counted bytes have come.
    static let acknowledgeInterval = 50_000
    /// A sender pauses a message of which nothing is acknowledged yet after so many counted bytes.
    static let windowByteCount = 128_000
    /// What may be unacknowledged of a message much of which has been acknowledged.
    ///
    /// Ours alone: a way of 100 ms carries no more than this ten times a second.
    static let widestWindowByteCount = 1_024_000
}
