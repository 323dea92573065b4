/// Where the library writes before the bytes move to the caller's array.
///
/// The memory belongs to the buffer from `init` to `deinit`, and the buffer to one stream.
final class StepBuffer {
    static let byteCount = 16_384
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)

    deinit {
        start.deallocate()
    }
}

/// What ends each piece on both sides and never travels.
let flushTrailer: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

/// The word for `CompressionError`.
let codecName = "deflate"
