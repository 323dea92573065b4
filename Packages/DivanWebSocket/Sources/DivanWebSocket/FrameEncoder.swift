public import DivanCrypto

/// Appends WebSocket frames to a buffer, masked when sent by a client.
///
/// Source: RFC 6455 §5.2 (layout), §5.3 (masking).
public struct FrameEncoder: Sendable {
    private let role: Role
    private var keys: MaskingKeys

    /// Creates an encoder for frames that `role` sends.
    ///
    /// A client gets its masking keys from `random`; a server needs none.
    public init(role: Role, random: any RandomSource) {
        self.role = role
        keys = MaskingKeys(random: random)
    }

    /// Appends one frame to `output`; the payload, at most 125 bytes for a control frame, is copied once.
    public mutating func encode(
        _ opcode: Opcode,
        isFinal: Bool = true,
        payload: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) {
        precondition(!opcode.isControl || (isFinal && payload.count <= 125), "too large")
        output.append(opcode.rawValue | (isFinal ? 0x80 : 0))
        appendLength(payload.count, to: &output)
        guard role == .client else {
            payload.withUnsafeBufferPointer { output.append(contentsOf: $0) }
            return
        }
        let key = keys.next()
        withUnsafeBytes(of: key.bigEndian) { output.append(contentsOf: $0) }
        let start = output.count
        payload.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        output.withUnsafeMutableBytes {
            applyMask(key, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    private func appendLength(_ byteCount: Int, to output: inout [UInt8]) {
        let maskBit: UInt8 = role == .client ? 0x80 : 0
        if byteCount < 126 {
            output.append(maskBit | UInt8(byteCount))
        } else if let short = UInt16(exactly: byteCount) {
            output.append(maskBit | 126)
            withUnsafeBytes(of: short.bigEndian) { output.append(contentsOf: $0) }
        } else {
            output.append(maskBit | 127)
            withUnsafeBytes(of: UInt64(byteCount).bigEndian) { output.append(contentsOf: $0) }
        }
    }
}
