/// The buffer for the library's output before it is appended to the caller's array.
///
/// The memory belongs to the buffer from `init` to `deinit`, and the buffer to one stream.
final class StepBuffer {
    static let byteCount = 16_384
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)

    deinit {
        start.deallocate()
    }
}

/// The end of each piece on both sides, which is never sent.
let flushTrailer: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

/// The codec's name in `CompressionError`.
let codecName = "deflate"
