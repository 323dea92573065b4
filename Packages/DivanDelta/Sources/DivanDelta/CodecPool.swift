import DivanCompression
import Synchronization

/// A codec whose library state is kept from one body to the next.
///
/// Sendable although each stream serves one thread at a time: the thread that uses it
/// takes it out of the list under the lock.
final class CodecPool: @unchecked Sendable {
    let codec: NumberedCodec
    private let idle = Mutex<Void>(())
    // Only touched while `idle` is locked.
    private var compressors: [any StreamCompressor] = []
    private var decompressors: [any StreamDecompressor] = []

    // The number of threads that usually pack at the same time; the largest state takes 400 KB.
    private static let limit = 2

    init(_ codec: NumberedCodec) {
        self.codec = codec
    }

    /// The compressed form behind a byte, or `nil` when the library has no memory for it.
    func compressed(_ plain: [UInt8], after head: UInt8) -> [UInt8]? {
        do {
            let taken = idle.withLock { _ in compressors.popLast() }
            let compressor = try taken ?? codec.codec.makeCompressor()
            var output: [UInt8] = []
            output.reserveCapacity(plain.count)
            output.append(head)
            try compressor.compress(plain.span, appendingTo: &output)
            compressor.reset()
            idle.withLock { _ in
                if compressors.count < Self.limit { compressors.append(compressor) }
            }
            return output
        } catch {
            return nil
        }
    }

    func decompressed(
        _ packed: [UInt8],
        from start: Int,
        limit: Int
    ) throws(BodyArchiveError) -> [UInt8] {
        do {
            let taken = idle.withLock { _ in decompressors.popLast() }
            let decompressor = try taken ?? codec.codec.makeDecompressor()
            var output: [UInt8] = []
            try decompressor.decompress(
                packed.span.extracting(droppingFirst: start),
                limit: limit,
                appendingTo: &output
            )
            decompressor.reset()
            idle.withLock { _ in
                if decompressors.count < Self.limit { decompressors.append(decompressor) }
            }
            return output
        } catch {
            throw .damaged("\(error)")
        }
    }
}
