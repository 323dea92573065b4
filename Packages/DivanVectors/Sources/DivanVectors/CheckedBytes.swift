internal import CDivanVectors

/// Bytes of a file, after a checksum: the common form of blocks and codecs.
///
/// Layout: the checksum of all that follows (8 bytes), a version (1), and the content. Numbers are little-endian.
enum CheckedBytes {
    static let headByteCount = 9
    private static let version: UInt8 = 1

    /// Returns content with its head.
    static func make(_ appendContent: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.append(version)
        appendContent(&bytes)
        let checksum = checksum(of: bytes.span.bytes)
        for byte in 0..<8 { bytes[byte] = UInt8(truncatingIfNeeded: checksum >> (8 * byte)) }
        return bytes
    }

    /// Refuses bytes that were not made by `make`, or have changed since.
    static func check(_ bytes: RawSpan, atLeast byteCount: Int) throws(VectorError) {
        guard bytes.byteCount >= headByteCount + byteCount else {
            throw .damaged("\(bytes.byteCount) bytes are too few")
        }
        guard bytes.byte(at: 8) == version else {
            throw .damaged("the version is \(bytes.byte(at: 8)) instead of \(version)")
        }
        var stored: UInt64 = 0
        for byte in 0..<8 { stored |= UInt64(bytes.byte(at: byte)) << (8 * byte) }
        guard stored == checksum(of: bytes) else { throw .damaged("the checksum is wrong") }
    }

    /// The checksum of the bytes after it.
    private static func checksum(of bytes: RawSpan) -> UInt64 {
        // C reads the bytes during the call.
        bytes.extracting(8...).withUnsafeBytes { bytes in
            divan_block_checksum(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                bytes.count
            )
        }
    }
}

extension RawSpan {
    // Every bit pattern is a number, and offsets are checked.

    /// The byte at an offset.
    func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// The number in 4 bytes at an offset.
    func number(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The float at an offset.
    func float(at offset: Int) -> Float { Float(bitPattern: number(at: offset)) }

    /// The floats from an offset to the end.
    func floats(from offset: Int) -> [Float] {
        stride(from: offset, to: byteCount - 3, by: 4).map { float(at: $0) }
    }
}

extension [UInt8] {
    mutating func append(number: UInt32) {
        for byte in 0..<4 { append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }

    mutating func append(float: Float) { append(number: float.bitPattern) }
}
