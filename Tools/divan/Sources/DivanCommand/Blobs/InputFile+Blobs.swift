import DivanCommandLine
import DivanRevisions
import DivanStore

extension InputFile {
    /// Reads to the end into a blob of a database; returns its digest and its length.
    func copy(into blobs: BlobStore) throws -> (digest: BlobDigest, byteCount: Int) {
        let writer = try blobs.writer()
        while case let piece = try read(upTo: StoreLimits.blobPieceByteCount), !piece.isEmpty {
            try writer.append(piece)
        }
        let byteCount = writer.byteCount
        return (try writer.finish(), byteCount)
    }
}
