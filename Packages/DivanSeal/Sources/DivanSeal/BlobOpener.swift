/// Opens the chunks of one sealed content, in any order; confined to one thread at a time.
public final class BlobOpener {
    /// Where the chunks are.
    public let layout: BlobLayout
    private let cipher: BlobCipher

    /// Takes what stands at both ends of the file.
    ///
    /// - Parameters:
    ///   - head: The first 24 bytes.
    ///   - end: The last 16.
    ///   - fileByteCount: Bytes of the file.
    ///   - digest: Which content it should be.
    ///   - seal: Whose key.
    /// - Throws: `otherKey`; `damaged` when it was cut, prolonged or exchanged.
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

    /// Opens the chunk with a number, which was read from `layout.place(ofChunk:)`.
    ///
    /// - Throws: `damaged`.
    public func open(_ chunk: Span<UInt8>, number: Int) throws(SealError) -> [UInt8] {
        try [UInt8](capacity: chunk.count) {
            (content: inout OutputSpan<UInt8>) throws(SealError) in
            try open(chunk, number: number, into: &content)
        }
    }

    /// Opens a chunk and adds its bytes to `content`, which has room for them.
    ///
    /// - Throws: `damaged`; nothing is added then.
    public func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout OutputSpan<UInt8>
    ) throws(SealError) {
        guard layout.place(ofChunk: number)?.count == chunk.count else { throw .damaged }
        try cipher.open(chunk, number: number, into: &content)
    }
}
