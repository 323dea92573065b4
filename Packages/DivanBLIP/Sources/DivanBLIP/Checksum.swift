internal import CDivanBLIP

/// The running CRC-32 over all plain payloads of one direction.
///
/// Source: `blip.md` §3.
struct Checksum: Equatable, Sendable {
    private(set) var value: UInt32 = 0

    mutating func update(_ plain: Span<UInt8>) {
        value = plain.withUnsafeBufferPointer { divan_crc32(value, $0.baseAddress, $0.count) }
    }

    func updated(with plain: Span<UInt8>) -> Checksum {
        var updated = self
        updated.update(plain)
        return updated
    }

    /// Four bytes, the most significant first, as a frame ends with them.
    func append(to frame: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { frame.append(contentsOf: $0) }
    }
}
