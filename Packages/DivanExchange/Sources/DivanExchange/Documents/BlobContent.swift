public import CouchbaseLiteSwift
import DivanCrypto
import DivanDatabase
import Foundation

/// A blob is longer than its reader has room for.
struct ContentTooLong: Error {}

extension Database {
    /// The blob with a digest; `nil` for a text that is not a digest.
    ///
    /// - Throws: `ContentTooLong` if it has more than `limit` bytes; otherwise as ``forEachPiece(of:_:)``.
    func content(of digest: String, upTo limit: Int) throws -> [UInt8]? {
        guard BlobDigest(digest) != nil else { return nil }
        var content: [UInt8] = []
        try forEachPiece(of: digest) { piece in
            guard piece.count <= limit - content.count else { throw ContentTooLong() }
            content += piece
        }
        return content
    }

    /// Calls `body` with the pieces of a blob, one after the other, and checks the content.
    ///
    /// - Throws: `StoreError` if the blob is missing; `ExchangeError` with `unreadableBlob`, or, after the last
    ///   piece, with `damagedBlob` if the content does not match the digest.
    public func forEachPiece(of digest: String, _ body: ([UInt8]) throws -> Void) throws {
        let properties = [Blob.typeProperty: Blob.blobType, Blob.blobDigestProperty: digest]
        guard let stream = try getBlob(properties: properties)?.contentStream else {
            guard let digest = BlobDigest(digest) else { return }
            throw StoreError(.noSuchBlob(digest), at: (path ?? "") + "Attachments")
        }
        stream.open()
        defer { stream.close() }
        var found = SHA1()
        var piece = [UInt8](repeating: 0, count: StoreLimits.blobPieceByteCount)
        while case let count = stream.read(&piece, maxLength: piece.count), count != 0 {
            guard count > 0 else {
                throw ExchangeError(
                    .unreadableBlob,
                    at: "blob \(digest)",
                    "damaged, or not readable",
                    remedy: "check the database to find all damaged blobs"
                )
            }
            found.update(piece.span.extracting(first: count))
            try body(Array(piece.prefix(count)))
        }
        if let expected = BlobDigest(digest), let actual = BlobDigest(bytes: found.finalize()),
            actual != expected
        {
            let place = (path ?? "") + "Attachments"
            let error = StoreError(.blobMismatch(expected: expected, actual: actual), at: place)
            throw ExchangeError(.damagedBlob, "\(error)", cause: error)
        }
    }
}
