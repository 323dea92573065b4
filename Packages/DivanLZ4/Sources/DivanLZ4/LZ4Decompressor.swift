internal import CDivanLZ4
internal import DivanCompression

/// The decompressing half of one direction.
final class LZ4Decompressor: StreamDecompressor {
    private var unpacker: OpaquePointer?  // freed in `deinit`, used by one thread at a time

    deinit {
        if let unpacker { divan_lz4_unpacker_free(unpacker) }
    }

    func reset() {
        if let unpacker { divan_lz4_unpacker_reset(unpacker) }
    }

    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !input.isEmpty else { return }
        let unpacker = try started()
        var offset = 0
        var room = limit
        while offset < input.count {
            let head = try readVarint(input, at: &offset)
            let plainCount = try readVarint(input, at: &offset)
            let count = head / 2
            guard count <= input.count - offset, plainCount <= Block.byteCount else {
                throw .corrupt(codec: Block.codecName, detail: "wrong block length")
            }
            guard plainCount <= room else {
                throw .outputTooLarge(codec: Block.codecName, limit: limit)
            }
            let block = input.extracting(offset..<offset + count)
            // The result points into the unpacker, which lives until `deinit`, and is copied here.
            let isSound = block.withUnsafeBufferPointer { block in
                let plain = divan_lz4_unpack(
                    unpacker,
                    block.baseAddress,
                    count,
                    plainCount,
                    Int32(head % 2)
                )
                guard let plain else { return false }
                output.append(contentsOf: UnsafeBufferPointer(start: plain, count: plainCount))
                return true
            }
            guard isSound else {
                throw .corrupt(codec: Block.codecName, detail: "invalid block")
            }
            offset += count
            room -= plainCount
        }
    }

    private func started() throws(CompressionError) -> OpaquePointer {
        if let unpacker { return unpacker }
        guard let made = divan_lz4_unpacker_make() else {
            throw .library(codec: Block.codecName, code: -4)
        }
        unpacker = made
        return made
    }
}

/// Reads at most three bytes: no length in a block needs more.
private func readVarint(
    _ input: Span<UInt8>,
    at offset: inout Int
) throws(CompressionError) -> Int {
    var number = 0
    for shift in [0, 7, 14] {
        guard offset < input.count else { break }
        let byte = input[offset]
        offset += 1
        number |= Int(byte & 0x7F) << shift
        if byte < 0x80 { return number }
    }
    throw .corrupt(codec: Block.codecName, detail: "truncated length")
}
