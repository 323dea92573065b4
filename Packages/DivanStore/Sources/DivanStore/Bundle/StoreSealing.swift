/// Prevents the files of a database from being read without a key.
///
/// The interface for encryption: pass it when opening a database (`StoreOptions.sealing`); the store
/// knows no more of it than this. Called from any thread. Whatever it throws, a store reports as
/// `StoreError`.
public protocol StoreSealing: Sendable {
    /// The name of the VFS by which SQLite reads and writes files with this key.
    ///
    /// It reports SQLITE_NOTADB for a file with another key or without one, and SQLITE_CORRUPT for damage.
    /// It creates no temporary files, and no journal with pages in it. It exists as long as the sealing
    /// does. It reads and writes through the VFS `base`, or SQLite's default one if no name is given.
    func vfsName(over base: String?) throws -> String
    /// Bytes at the end of each page that the VFS needs.
    var reservedByteCount: Int32 { get }
    /// Whether another sealing has the same key.
    func hasSameKey(as other: any StoreSealing) -> Bool

    /// Bytes at the start of a blob's file that are needed to open it.
    var headByteCount: Int { get }
    /// Bytes at its end.
    var endByteCount: Int { get }
    /// Bytes of the content in a file of this size; `nil` if no content makes such a file.
    func contentByteCount(ofFile byteCount: Int) -> Int?
    /// Begins sealing a blob.
    func sealer() throws -> any ContentSealer
    /// Begins opening a blob.
    ///
    /// - Throws: If it was sealed with another key, or is not this blob or incomplete.
    func opener(
        head: [UInt8],
        end: [UInt8],
        fileByteCount: Int,
        digest: BlobDigest
    ) throws -> any ContentOpener
}

/// Seals one blob as it streams, on one thread at a time.
public protocol ContentSealer: AnyObject {
    /// Takes the next piece, and appends what can be written to `sealed`, whose memory is reused.
    func append(_ piece: Span<UInt8>, into sealed: inout [UInt8]) throws
    /// Ends the content, and returns what remains to be written.
    func finish(digest: BlobDigest) throws -> [UInt8]
}

/// Opens one blob chunk by chunk, on one thread at a time.
public protocol ContentOpener: AnyObject {
    /// Bytes of the content in each chunk but the last.
    var chunkByteCount: Int { get }
    /// Where a chunk is in the file; `nil` after the last one.
    func place(ofChunk number: Int) -> Range<Int>?
    /// Opens a chunk and appends its bytes to `content`, which has room for them.
    ///
    /// - Throws: If it is not as it was sealed; nothing is appended then.
    func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout OutputSpan<UInt8>
    ) throws
}
