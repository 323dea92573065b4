internal import CDivanLZ4
internal import DivanCompression

/// The compressing half of one direction.
final class LZ4Compressor: StreamCompressor {
    private var packer: OpaquePointer?  // freed in `deinit`, used by one thread at a time
    private var packed: [UInt8] = []

    deinit {
        if let packer { divan_lz4_packer_free(packer) }
    }

    func reset() {
        if let packer { divan_lz4_packer_reset(packer) }
    }

    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !input.isEmpty else { return }
        let packer = try started()
        for start in stride(from: 0, to: input.count, by: Block.byteCount) {
            let end = min(start + Block.byteCount, input.count)
            try appendBlock(of: input.extracting(start..<end), with: packer, to: &output)
        }
    }

    private func appendBlock(
        of plain: Span<UInt8>,
        with packer: OpaquePointer,
        to output: inout [UInt8]
    ) throws(CompressionError) {
        let bound = divan_lz4_bound(plain.count)
        if packed.count < bound { packed = [UInt8](repeating: 0, count: bound) }
        // `packed` has the bound's bytes; both pointers live as long as the closures.
        let count = plain.withUnsafeBufferPointer { plain in
            packed.withUnsafeMutableBufferPointer { packed in
                divan_lz4_pack(packer, plain.baseAddress, plain.count, packed.baseAddress)
            }
        }
        guard count > 0 else { throw .library(codec: Block.codecName, code: -1) }
        let isStored = count >= plain.count
        appendVarint(isStored ? plain.count * 2 + 1 : count * 2, to: &output)
        appendVarint(plain.count, to: &output)
        if isStored {
            plain.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        } else {
            output.append(contentsOf: packed.prefix(count))
        }
    }

    private func started() throws(CompressionError) -> OpaquePointer {
        if let packer { return packer }
        guard let made = divan_lz4_packer_make() else {
            throw .library(codec: Block.codecName, code: -4)
        }
        packer = made
        return made
    }
}

private func appendVarint(_ number: Int, to output: inout [UInt8]) {
    var rest = UInt(number)
    while rest >= 0x80 {
        output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    output.append(UInt8(truncatingIfNeeded: rest))
}
