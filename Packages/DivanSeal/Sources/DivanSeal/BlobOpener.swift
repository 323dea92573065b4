/// Decrypts the chunks of one encrypted blob, in any order; use it on one thread at a time.
public final class BlobOpener {
    /// The positions of the chunks.
    public let layout: BlobLayout
    private let cipher: BlobCipher

    /// Creates an opener from the bytes at both ends of the file.
    ///
    /// - Parameters:
    ///   - head: The first 24 bytes.
    ///   - end: The last 16 bytes.
    ///   - fileByteCount: The size of the file in bytes.
    ///   - digest: The digest of the expected blob.
    ///   - seal: The seal with the key.
    /// - Throws: `otherKey`; `damaged` if the file was truncated, extended or replaced.
    public init(
        head: [UInt8],
        end: [UInt8],
        fileByteCount: Int,
        digest: [UInt8],
        seal: Seal
    ) throws(SealError) {
        guard let layout = BlobLayout(fileByteCount: fileByteCount) else { throw .damaged }
        self.layout = layout
        cipher = try BlobCipher(opening: head, with: seal.key)
        try cipher.verify(end.span, digest: digest, byteCount: layout.byteCount)
    }

    /// Decrypts a chunk, which was read from `layout.place(ofChunk:)`.
    ///
    /// - Throws: `damaged`.
    public func open(_ chunk: Span<UInt8>, number: Int) throws(SealError) -> [UInt8] {
        var content: [UInt8] = []
        try open(chunk, number: number, into: &content)
        return content
    }

    /// Decrypts a chunk and appends its bytes to `content`.
    ///
    /// - Throws: `damaged`; nothing has then been appended.
    public func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout [UInt8]
    ) throws(SealError) {
        guard layout.place(ofChunk: number)?.count == chunk.count else { throw .damaged }
        try cipher.open(chunk, number: number, into: &content)
    }
}
