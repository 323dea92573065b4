internal import CDivanLZ4
internal import DivanCompression

/// The compressing half of one direction.
final class LZ4Compressor: StreamCompressor {
    private var packer: OpaquePointer?  // freed in `deinit`, used by one thread at a time

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
        if output.capacity - output.count < bound {
            output.reserveCapacity(max(output.count + bound, 2 * output.capacity))
        }
        var count = 0
        // The library writes at most `bound` bytes behind those that are there; both pointers
        // live as long as the closures.
        output.append(addingCapacity: bound) { room in
            room.withUnsafeMutableBufferPointer { room, filledCount in
                guard let start = room.baseAddress.map({ $0 + filledCount }) else { return }
                plain.withUnsafeBufferPointer { plain in
                    count = divan_lz4_pack(packer, plain.baseAddress, plain.count, start)
                }
                filledCount += count
            }
        }
        guard count > 0 else { throw .library(codec: Block.codecName, code: -1) }
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
