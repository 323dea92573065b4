/// Seals one content as it streams; confined to one thread at a time.
///
/// What `append` and `finish` return is written to the file, one behind the other.
public final class BlobSealer {
    private let cipher: BlobCipher
    private var rest: [UInt8] = []
    private var chunkCount = 0
    private var byteCount = 0
    private var hasBegun = false

    /// Begins a content with a key of its own.
    ///
    /// - Throws: `library`.
    public init(_ seal: Seal) throws(SealError) {
        cipher = try BlobCipher(sealing: seal.key, cipher: seal.cipher)
    }

    init(_ cipher: BlobCipher) {
        self.cipher = cipher
    }

    /// Takes the next piece, and returns what can be written.
    ///
    /// - Throws: `library`.
    public func append(_ piece: Span<UInt8>) throws(SealError) -> [UInt8] {
        var sealed = begin()
        byteCount += piece.count
        var start = 0
        if !rest.isEmpty {
            start = min(SealLimits.chunkByteCount - rest.count, piece.count)
            piece.extracting(..<start).withUnsafeBufferPointer { rest.append(contentsOf: $0) }
            guard rest.count == SealLimits.chunkByteCount else { return sealed }
            let full = rest
            rest.removeAll()
            sealed += try chunk(full.span)
        }
        while piece.count - start >= SealLimits.chunkByteCount {
            sealed += try chunk(piece.extracting(start..<start + SealLimits.chunkByteCount))
            start += SealLimits.chunkByteCount
        }
        piece.extracting(start...).withUnsafeBufferPointer { rest.append(contentsOf: $0) }
        return sealed
    }

    /// Ends the content, whose digest is known now, and returns what is left to be written.
    ///
    /// - Throws: `library`.
    public func finish(digest: [UInt8]) throws(SealError) -> [UInt8] {
        var sealed = begin()
        let last = rest
        rest = []
        if !last.isEmpty { sealed += try chunk(last.span) }
        return sealed + (try cipher.end(digest: digest, byteCount: byteCount))
    }

    private func begin() -> [UInt8] {
        guard !hasBegun else { return [] }
        hasBegun = true
        return cipher.head
    }

    private func chunk(_ plain: Span<UInt8>) throws(SealError) -> [UInt8] {
        defer { chunkCount += 1 }
        return try cipher.seal(plain, number: chunkCount)
    }
}
