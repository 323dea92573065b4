import DivanBLIP
import DivanCrypto
import DivanStore

/// Answers a peer that asks for blobs, in either role.
///
/// Source: `blobs.md` §4, §6.
enum AttachmentServer {
    /// Answers `getAttachment`: the content streams from its file.
    static func get(_ request: BLIPIncomingRequest, _ session: inout Session) {
        do throws(SyncError) {
            let digest = try digest(of: request, session)
            let source: BlobSource
            do {
                source = BlobSource(try session.store.blobs.reader(digest))
            } catch {
                throw SyncError.http(404, "no such blob: \(digest.description)")
            }
            var reply = BLIPReply(body: .source(source))
            reply.isCompressed =
                session.configuration.compresses && request.properties["compress"] == "true"
            session.answer(request, with: reply)
        } catch {
            session.refuse(request, with: error)
        }
    }

    /// Answers `proveAttachment`: shows that the content is here without sending it.
    static func prove(_ request: BLIPIncomingRequest, _ session: inout Session) {
        do throws(SyncError) {
            let digest = try digest(of: request, session)
            guard (1...255).contains(request.body.count) else {
                throw .http(400, "a proof needs a nonce of 1 to 255 bytes")
            }
            var hash = SHA1()
            hash.update([UInt8(request.body.count)].span)
            hash.update(request.body.span)
            do {
                let reader = try session.store.blobs.reader(digest)
                while true {
                    let piece = try reader.read(upTo: 64 << 10)
                    if piece.isEmpty { break }
                    hash.update(piece.span)
                }
            } catch {
                throw SyncError.http(404, "no such blob: \(digest.description)")
            }
            let proof = "sha1-" + Base64.encode(hash.finalize().span)
            session.answer(request, with: BLIPReply(body: .bytes(Array(proof.utf8))))
        } catch {
            session.refuse(request, with: error)
        }
    }

    private static func digest(
        of request: BLIPIncomingRequest,
        _ session: Session
    ) throws(SyncError) -> BlobDigest {
        guard let text = request.properties["digest"], let digest = BlobDigest(text) else {
            throw .http(400, "missing or malformed digest")
        }
        // The same words as for one that is not here: who may not have it learns nothing.
        guard session.mayFetch(digest) else {
            throw .http(404, "no such blob: \(digest.description)")
        }
        return digest
    }
}

/// A stored blob as a message's body.
final class BlobSource: BLIPBodySource {
    private let reader: BlobReader

    init(_ reader: BlobReader) {
        self.reader = reader
    }

    func read(upTo byteCount: Int) throws -> [UInt8] {
        try reader.read(upTo: byteCount)
    }
}
