/// Encrypts the files of blobs.
///
/// Called from any thread. A store converts thrown errors to `StoreError`.
public protocol BlobSealing: Sendable {
    /// Bytes at the start of a blob's file that are needed to open it.
    var headByteCount: Int { get }
    /// Bytes at the end of a blob's file that are needed to open it.
    var endByteCount: Int { get }
    /// The size of the content in a file of this size; `nil` if the size is invalid.
    func contentByteCount(ofFile byteCount: Int) -> Int?
    /// Begins to encrypt a blob.
    func sealer() throws -> any ContentSealer
    /// Begins to decrypt a blob.
    ///
    /// - Throws: If it has another key, or is incomplete or another blob.
    func opener(
        head: [UInt8],
        end: [UInt8],
        fileByteCount: Int,
        digest: BlobDigest
    ) throws -> any ContentOpener
}

/// Encrypts a blob as a stream, on one thread at a time.
public protocol ContentSealer: AnyObject {
    /// Encrypts the next piece, and appends the bytes that can be written to `sealed`, whose memory is reused.
    func append(_ piece: Span<UInt8>, into sealed: inout [UInt8]) throws
    /// Ends the content, and returns the remaining bytes to write.
    func finish(digest: BlobDigest) throws -> [UInt8]
}

/// Decrypts a blob chunk by chunk, on one thread at a time.
public protocol ContentOpener: AnyObject {
    /// Bytes of the content in each chunk except the last.
    var chunkByteCount: Int { get }
    /// Where a chunk is in the file; `nil` after the last one.
    func place(ofChunk number: Int) -> Range<Int>?
    /// Decrypts a chunk and appends its bytes to `content`.
    ///
    /// - Throws: If the chunk was changed; nothing is appended then.
    func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout [UInt8]
    ) throws
}
