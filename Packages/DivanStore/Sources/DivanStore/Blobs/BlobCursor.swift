/// A position in a blob that is read in pieces, possibly over a long time.
///
/// It protects the blob from garbage collection, and opens it when the first piece is requested. The file stays
/// open between two pieces only if few other cursors are open, so that blobs waiting for a slow reader use no file
/// descriptor. Confined to one thread at a time.
public final class BlobCursor {
    /// The blob.
    public let digest: BlobDigest
    /// The position of the next byte to read.
    public private(set) var offset: Int

    private let blobs: BlobStore
    private let hold: BlobHold
    private var reader: BlobReader?
    private var isAtEnd = false

    /// Creates a cursor at a position in a blob.
    ///
    /// The blob need not exist.
    public init(_ digest: BlobDigest, in blobs: BlobStore, at offset: Int = 0) {
        self.digest = digest
        self.offset = offset
        self.blobs = blobs
        hold = blobs.hold(digest)
    }

    deinit {
        rest()
    }

    /// Whether its file is open.
    public var isOpen: Bool { reader != nil }

    /// Returns the next 1 to `limit` bytes; empty at the end.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the system's error.
    public func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        guard !isAtEnd else { return [] }
        let isNew = reader == nil
        let open: BlobReader
        if let reader { open = reader } else { open = try opened() }
        let piece = try open.read(upTo: limit)
        offset += piece.count
        isAtEnd = piece.isEmpty || offset >= open.byteCount
        if isAtEnd {
            rest()
        } else if isNew, blobs.mayStayOpen() {
            reader = open
        }
        return piece
    }

    private func opened() throws(StoreError) -> BlobReader {
        let opened = try blobs.reader(digest)
        opened.seek(to: offset)
        return opened
    }

    /// Closes the file until the next piece is requested.
    public func rest() {
        guard reader != nil else { return }
        reader = nil
        blobs.didClose()
    }
}
