/// What keeps the files of a database from being read without a key.
///
/// The seam for encryption: whoever opens a database hands it in (`StoreOptions.sealing`), and the store
/// knows no more of it than this. Called from any thread. Whatever it throws, a store says as
/// `StoreError`.
public protocol StoreSealing: Sendable {
    /// The name under which SQLite finds the VFS that reads and writes files with this key.
    ///
    /// A file with another key or without one is SQLITE_NOTADB to it, and damage SQLITE_CORRUPT. It
    /// makes no temporary files, and no journal with pages in it. It is there as long as the sealing is.
    /// What it reads and writes goes through the VFS `base`, or SQLite's default one without a name.
    func vfsName(over base: String?) throws -> String
    /// Bytes at the end of each page that the VFS needs.
    var reservedByteCount: Int32 { get }
    /// Whether another sealing opens the same files.
    func hasSameKey(as other: any StoreSealing) -> Bool

    /// Bytes at the start of a content's file by which it is opened.
    var headByteCount: Int { get }
    /// Bytes at its end.
    var endByteCount: Int { get }
    /// Bytes of the content in a file of so many bytes; `nil` when no content makes such a file.
    func contentByteCount(ofFile byteCount: Int) -> Int?
    /// Begins a content.
    func sealer() throws -> any ContentSealer
    /// Opens a content.
    ///
    /// - Throws: When another key sealed it, or it is not this one, whole.
    func opener(
        head: [UInt8],
        end: [UInt8],
        fileByteCount: Int,
        digest: BlobDigest
    ) throws -> any ContentOpener
}

/// Seals one content as it streams, on one thread at a time.
public protocol ContentSealer: AnyObject {
    /// Takes the next piece, and adds what can be written to `sealed`, whose memory serves again.
    func append(_ piece: Span<UInt8>, into sealed: inout [UInt8]) throws
    /// Ends the content, and returns what is left to be written.
    func finish(digest: BlobDigest) throws -> [UInt8]
}

/// Opens one content chunk by chunk, on one thread at a time.
public protocol ContentOpener: AnyObject {
    /// Bytes of the content in each chunk but the last.
    var chunkByteCount: Int { get }
    /// Where a chunk lies in the file; `nil` behind the last one.
    func place(ofChunk number: Int) -> Range<Int>?
    /// Opens a chunk and adds its bytes to `content`, which has room for them.
    ///
    /// - Throws: When it is not as it was sealed; nothing is added then.
    func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout OutputSpan<UInt8>
    ) throws
}
