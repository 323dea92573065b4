/// A place in a content that is read piece by piece, over a long time perhaps.
///
/// It keeps the content from being collected, and opens it when the first piece is asked for. Its file
/// stays open between two pieces only while few others do, so that contents that wait for a slow
/// reader cost no descriptor. Confined to one thread at a time.
public final class BlobCursor {
    /// The content.
    public let digest: BlobDigest
    /// Where the next byte is read.
    public private(set) var offset: Int

    private let blobs: BlobStore
    private let hold: BlobHold
    private var reader: BlobReader?
    private var isAtEnd = false

    /// Creates a cursor at a place of a content, which need not be there.
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
    /// - Throws: `StoreError.Code.noSuchBlob`, or the system's refusal.
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

    /// Closes the file until the next piece is asked for.
    public func rest() {
        guard reader != nil else { return }
        reader = nil
        blobs.didClose()
    }
}
