import DivanCommandLine
import DivanDatabase
import DivanRevisions

extension InputFile {
    /// Reads to the end into a blob of a database; returns its length, and a hold that
    /// keeps it until a document refers to it.
    func copy(into blobs: BlobStore) throws -> (hold: BlobHold, byteCount: Int) {
        let writer = try blobs.writer()
        while case let piece = try read(upTo: StoreLimits.blobPieceByteCount), !piece.isEmpty {
            try writer.append(piece)
        }
        return (try writer.finishHeld(), writer.byteCount)
    }
}
