import DivanBLIP
import DivanCrypto
import DivanStore

/// Answers a peer's requests for blobs, in either role.
///
/// A few blobs are sent at a time, and one proof is computed; further requests are queued. A blob's file is opened when
/// its first piece is read, and closed while nobody reads it. A proof is computed piecewise, some in each turn, since
/// every nonce requires reading the whole blob again.
///
/// Source: `blobs.md` §4, §6.
struct AttachmentServer {
    private struct Content {
        let request: BLIPRequestID
        let digest: BlobDigest
        let isCompressed: Bool
        /// Where a peer that has a part of it continues.
        let offset: Int
    }

    /// A blob being sent, and when the peer last made room for more of it.
    private struct Stream {
        let request: BLIPRequestID
        let cursor: BlobCursor
        var seenOffset = 0
        var since: Duration
    }

    private struct Proof {
        let request: BLIPRequestID
        let cursor: BlobCursor
        var hash = SHA1()
    }

    private let connection: Connection
    private var contents = FIFOQueue<Content>()
    private var streams: [Stream] = []
    private var proofs = FIFOQueue<Proof>()
    private var proof: Proof?

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Whether a proof continues in the next turn, after everyone else had theirs.
    var wantsTurn: Bool { proof != nil || !proofs.isEmpty }

    /// When to close the next file that nobody reads.
    var deadline: Duration? {
        streams.lazy.filter(\.cursor.isOpen).map { $0.since + connection.limits.idleBlobTime }.min()
    }

    /// Handles `getAttachment`: the content is streamed from its file.
    ///
    /// `readable` says whether the request names a document that has the blob and that the peer may fetch.
    mutating func get(
        _ request: BLIPIncomingRequest,
        readable: (BlobDigest) throws(SyncError) -> Bool = { _ in false }
    ) {
        do throws(SyncError) {
            let digest = try digest(of: request, readable: readable)
            guard !request.isNoReply else { return }
            let isCompressed =
                connection.configuration.compresses && request.properties["compress"] == "true"
            contents.append(
                Content(
                    request: request.id,
                    digest: digest,
                    isCompressed: isCompressed,
                    offset: max(0, request.properties.integer(DivanProperty.offset) ?? 0)
                )
            )
            begin()
        } catch {
            connection.refuse(request, with: error)
        }
    }

    /// Handles `proveAttachment`: proves that the blob is here without sending it.
    mutating func prove(_ request: BLIPIncomingRequest) {
        do throws(SyncError) {
            let digest = try digest(of: request)
            guard (1...255).contains(request.body.count) else {
                throw .http(.badRequest, "proveAttachment needs a nonce of 1 to 255 bytes")
            }
            guard connection.store.blobs.contains(digest) else { throw .noBlob(digest) }
            guard !request.isNoReply else { return }
            let cursor = BlobCursor(digest, in: connection.store.blobs)
            var proof = Proof(request: request.id, cursor: cursor)
            proof.hash.update([UInt8(request.body.count)].span)
            proof.hash.update(request.body.span)
            proofs.append(proof)
        } catch {
            connection.refuse(request, with: error)
        }
    }

    /// Does the work of one turn.
    mutating func pump() {
        begin()
        closeUnread()
        hashProofs()
    }

    /// The connection is closed, so its requests are dropped.
    mutating func abandon() {
        self = AttachmentServer(connection)
    }

    private func digest(
        of request: BLIPIncomingRequest,
        readable: (BlobDigest) throws(SyncError) -> Bool = { _ in false }
    ) throws(SyncError) -> BlobDigest {
        guard let text = request.properties["digest"], let digest = BlobDigest(text) else {
            throw .http(.badRequest, "missing or malformed digest")
        }
        // Same text as for a missing blob, so a peer without access learns nothing.
        guard try connection.blobRights.mayFetch(digest) ? true : readable(digest) else {
            throw .noBlob(digest)
        }
        guard contents.count + proofs.count < connection.limits.waitingBlobsCount else {
            throw .http(.serviceUnavailable, "too many pending blob requests")
        }
        return digest
    }
}

// MARK: - Blobs

extension AttachmentServer {
    /// Whether a blob waits for another one to be sent.
    var hasWaiting: Bool { !contents.isEmpty }

    /// Answers as many requests as there is room for.
    mutating func begin() {
        guard !contents.isEmpty else { return }
        streams.removeAll { !connection.blip.isReplying(to: $0.request) }
        while streams.count < connection.limits.openBlobsCount, let next = contents.popFirst() {
            guard connection.store.blobs.contains(next.digest) else {
                connection.refuse(next.request, with: .noBlob(next.digest))
                continue
            }
            let blobs = connection.store.blobs
            // An offset past the end belongs to other content: send all of it.
            let offset = next.offset <= blobs.byteCount(next.digest) ?? 0 ? next.offset : 0
            let cursor = BlobCursor(next.digest, in: blobs, at: offset)
            var reply = BLIPReply(body: .source(BlobSource(cursor)))
            if offset > 0 { reply.properties.append(DivanProperty.offset, "\(offset)") }
            reply.isCompressed = next.isCompressed
            connection.answer(next.request, with: reply)
            streams.append(Stream(request: next.request, cursor: cursor, since: connection.now))
        }
    }

    /// Closes files that nobody has read for a while; they are reopened for the next piece.
    private mutating func closeUnread() {
        for index in streams.indices where streams[index].cursor.isOpen {
            if streams[index].seenOffset != streams[index].cursor.offset {
                streams[index].seenOffset = streams[index].cursor.offset
                streams[index].since = connection.now
            } else if connection.now - streams[index].since >= connection.limits.idleBlobTime {
                streams[index].cursor.rest()
            }
        }
    }
}

// MARK: - Proofs

extension AttachmentServer {
    /// Hashes the next bytes for the oldest proofs, as many as a turn allows.
    private mutating func hashProofs() {
        var room = connection.limits.provenByteCount
        while room > 0, var current = proof.take() ?? proofs.popFirst() {
            do {
                let piece = try current.cursor.read(upTo: min(room, 64 << 10))
                current.hash.update(piece.span)
                // A small blob takes some time, too.
                room -= max(piece.count, 4 << 10)
                guard piece.isEmpty else {
                    proof = current
                    continue
                }
                let text = "sha1-" + Base64.encode(current.hash.finalize().span)
                connection.answer(current.request, with: BLIPReply(body: .bytes(Array(text.utf8))))
            } catch {
                connection.refuse(current.request, with: .noBlob(current.cursor.digest))
            }
        }
    }
}

extension SyncError {
    fileprivate static func noBlob(_ digest: BlobDigest) -> SyncError {
        .http(.notFound, "blob not found: \(digest.description)")
    }
}

/// A stored blob as a message's body.
final class BlobSource: BLIPBodySource {
    private let cursor: BlobCursor

    init(_ cursor: BlobCursor) {
        self.cursor = cursor
    }

    func read(upTo byteCount: Int) throws -> [UInt8] {
        try cursor.read(upTo: byteCount)
    }
}
