/// Encrypts one blob while it is received; use it on one thread at a time.
///
/// Write the results of `append` and `finish` to the file in order.
public final class BlobSealer {
    private let cipher: BlobCipher
    private var rest: [UInt8] = []
    private var chunkCount = 0
    private var byteCount = 0
    private var hasBegun = false

    /// Starts a blob with its own key.
    ///
    /// - Throws: `library`.
    public init(_ seal: Seal) throws(SealError) {
        cipher = try BlobCipher(sealing: seal.key, cipher: seal.cipher)
    }

    init(_ cipher: BlobCipher) {
        self.cipher = cipher
    }

    /// Encrypts the next piece, and returns the bytes to write.
    ///
    /// - Throws: `library`.
    public func append(_ piece: Span<UInt8>) throws(SealError) -> [UInt8] {
        var sealed: [UInt8] = []
        try append(piece, into: &sealed)
        return sealed
    }

    /// Encrypts the next piece, and appends the bytes to write to `sealed`, whose memory can be reused.
    ///
    /// - Throws: `library`.
    public func append(_ piece: Span<UInt8>, into sealed: inout [UInt8]) throws(SealError) {
        begin(&sealed)
        byteCount += piece.count
        var start = 0
        if !rest.isEmpty {
            start = min(SealLimits.chunkByteCount - rest.count, piece.count)
            keep(piece.extracting(..<start))
            guard rest.count == SealLimits.chunkByteCount else { return }
            try sealRest(into: &sealed)
        }
        while piece.count - start >= SealLimits.chunkByteCount {
            let chunk = piece.extracting(start..<start + SealLimits.chunkByteCount)
            try seal(chunk, into: &sealed)
            start += SealLimits.chunkByteCount
        }
        keep(piece.extracting(start...))
    }

    /// Ends the blob with its digest, and returns the remaining bytes to write.
    ///
    /// - Throws: `library`.
    public func finish(digest: [UInt8]) throws(SealError) -> [UInt8] {
        var sealed: [UInt8] = []
        begin(&sealed)
        if !rest.isEmpty { try sealRest(into: &sealed) }
        return sealed + (try cipher.end(digest: digest, byteCount: byteCount))
    }

    private func begin(_ sealed: inout [UInt8]) {
        guard !hasBegun else { return }
        hasBegun = true
        sealed += cipher.head
    }

    private func keep(_ piece: Span<UInt8>) {
        piece.withUnsafeBufferPointer { rest.append(contentsOf: $0) }
    }

    private func sealRest(into sealed: inout [UInt8]) throws(SealError) {
        let chunk = rest
        try seal(chunk.span, into: &sealed)
        rest.removeAll(keepingCapacity: true)
    }

    private func seal(_ chunk: Span<UInt8>, into sealed: inout [UInt8]) throws(SealError) {
        try cipher.seal(chunk, number: chunkCount, into: &sealed)
        chunkCount += 1
    }
}
