internal import CDivanISAL
internal import DivanCompression

/// The compressing half of one direction.
final class ISALCompressor: StreamCompressor {
    private let level: Int
    // Freed in `deinit`. Used by one thread at a time, and no access to it is nested in another, so checking each
    // access would only cost time.
    @exclusivity(unchecked) private var packer: OpaquePointer?

    init(level: Int) {
        self.level = level
    }

    deinit {
        if let packer { divan_isal_packer_free(packer) }
    }

    func reset() {
        if let packer { divan_isal_packer_reset(packer) }
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
        let bound = divan_isal_bound(head.count + body.count)
        // The library writes at most `bound` bytes.
        let count = output.appendPacked(head, body, atMost: bound) { head, body, room in
            let (first, last) = (head.baseAddress, body.baseAddress)
            return divan_isal_pack(packer, first, head.count, last, body.count, room)
        }
        guard count > 0 else { throw .library(codec: codecName, code: -1) }
    }

    private func started() throws(CompressionError) -> OpaquePointer {
        if let packer { return packer }
        guard let made = divan_isal_packer_make(Int32(level)) else {
            throw .library(codec: codecName, code: -4)
        }
        packer = made
        return made
    }
}
