/// Opens the chunks of one sealed blob, in any order; confined to one thread at a time.
public final class BlobOpener {
    /// Where the chunks are.
    public let layout: BlobLayout
    private let cipher: BlobCipher

    /// Takes the bytes at both ends of the file.
    ///
    /// - Parameters:
    ///   - head: The first 24 bytes.
    ///   - end: The last 16.
    ///   - fileByteCount: Bytes of the file.
    ///   - digest: The digest of the expected blob.
    ///   - seal: The seal with its key.
    /// - Throws: `otherKey`; `damaged` if the file was truncated, extended or exchanged.
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

    /// Opens a chunk and appends its bytes to `content`, which has room for them.
    ///
    /// - Throws: `damaged`; nothing is appended then.
    public func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout OutputSpan<UInt8>
    ) throws(SealError) {
        guard layout.place(ofChunk: number)?.count == chunk.count else { throw .damaged }
        try cipher.open(chunk, number: number, into: &content)
    }
}
