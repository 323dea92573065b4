import DivanBLIP
import DivanCrypto
import DivanStore

/// Answers a peer that asks for blobs, in either role.
///
/// A few contents are on their way at a time, and one proof is being made; further requests wait in
/// line. A content is opened when its first piece is read, and closed while nobody reads it. A proof
/// is made a piece in each turn, since every nonce asks for the whole content anew.
///
/// Source: `blobs.md` §4, §6.
struct AttachmentServer {
    private struct Content {
        let request: BLIPRequestID
        let digest: BlobDigest
        let isCompressed: Bool
        /// Where a peer goes on that has a part.
        let offset: Int
    }

    /// A content on its way, and when the peer last made room for more of it.
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
    private var contents = Line<Content>()
    private var streams: [Stream] = []
    private var proofs = Line<Proof>()
    private var proof: Proof?

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Whether a proof goes on in the next turn, after everybody else had theirs.
    var wantsTurn: Bool { proof != nil || !proofs.isEmpty }

    /// When the next file is closed that nobody reads from.
    var deadline: Duration? {
        streams.lazy.filter(\.cursor.isOpen).map { $0.since + connection.limits.idleBlobTime }.min()
    }

    /// Takes `getAttachment`: the content streams from its file.
    ///
    /// `readable` says whether a document that the request names, and that the peer may fetch, has it.
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
                    offset: max(0, request.properties.integer(OwnProperty.offset) ?? 0)
                )
            )
            begin()
        } catch {
            connection.refuse(request, with: error)
        }
    }

    /// Takes `proveAttachment`: shows that the content is here without sending it.
    mutating func prove(_ request: BLIPIncomingRequest) {
        do throws(SyncError) {
            let digest = try digest(of: request)
            guard (1...255).contains(request.body.count) else {
                throw .http(.badRequest, "a proof needs a nonce of 1 to 255 bytes")
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

    /// Does a turn's work.
    mutating func pump() {
        begin()
        closeUnread()
        hashProofs()
    }

    /// The connection is gone, and with it what was asked for.
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
        // The same words as for one that is not here: who may not have it learns nothing.
        guard try connection.blobRights.mayFetch(digest) ? true : readable(digest) else {
            throw .noBlob(digest)
        }
        guard contents.count + proofs.count < connection.limits.waitingBlobsCount else {
            throw .http(.serviceUnavailable, "too many requests for blobs wait already")
        }
        return digest
    }
}

// MARK: - Contents

extension AttachmentServer {
    /// Whether a content waits for another one to have left.
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
            // A place behind the end means another content: it comes whole.
            let offset = next.offset <= blobs.byteCount(next.digest) ?? 0 ? next.offset : 0
            let cursor = BlobCursor(next.digest, in: blobs, at: offset)
            var reply = BLIPReply(body: .source(BlobSource(cursor)))
            if offset > 0 { reply.properties.append(OwnProperty.offset, "\(offset)") }
            reply.isCompressed = next.isCompressed
            connection.answer(next.request, with: reply)
            streams.append(Stream(request: next.request, cursor: cursor, since: connection.now))
        }
    }

    /// Closes what nobody has read from for a while; it is opened again for the next piece.
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
    /// Hashes the next bytes of the oldest proof, as many as a turn allows.
    private mutating func hashProofs() {
        var room = connection.limits.provenByteCount
        while room > 0, var current = proof.take() ?? proofs.popFirst() {
            do {
                let piece = try current.cursor.read(upTo: min(room, 64 << 10))
                current.hash.update(piece.span)
                // A small content costs a turn something, too.
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
        .http(.notFound, "no such blob: \(digest.description)")
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
