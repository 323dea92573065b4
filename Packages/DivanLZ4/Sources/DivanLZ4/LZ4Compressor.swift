internal import CDivanLZ4
internal import DivanCompression

/// The compressing half of one direction.
final class LZ4Compressor: StreamCompressor {
    // Freed in `deinit`. Used by one thread at a time, and no access to it is nested in another, so checking each
    // access would only cost time.
    @exclusivity(unchecked) private var packer: OpaquePointer?

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
        try compress(Span(), followedBy: input, appendingTo: &output)
    }

    func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !head.isEmpty || !body.isEmpty else { return }
        let packer = try started()
        let total = head.count + body.count
        // The payload of a message's frame fits into one block.
        if total <= Block.byteCount {
            return try appendBlock(head, body, with: packer, to: &output)
        }
        for start in stride(from: 0, to: total, by: Block.byteCount) {
            let end = min(start + Block.byteCount, total)
            // The positions of the block's bytes in each of the two.
            let first = min(start, head.count)..<min(end, head.count)
            let last = max(start - head.count, 0)..<max(end - head.count, 0)
            try appendBlock(
                head.extracting(first),
                body.extracting(last),
                with: packer,
                to: &output
            )
        }
    }

    /// Appends one block of both parts, which the packer joins in its history buffer.
    private func appendBlock(
        _ head: Span<UInt8>,
        _ body: Span<UInt8>,
        with packer: OpaquePointer,
        to output: inout [UInt8]
    ) throws(CompressionError) {
        let bound = divan_lz4_bound(head.count + body.count)
        // The library writes at most `bound` bytes.
        let count = output.appendPacked(head, body, atMost: bound) { head, body, room in
            let (first, last) = (head.baseAddress, body.baseAddress)
            return divan_lz4_pack(packer, first, head.count, last, body.count, room)
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
