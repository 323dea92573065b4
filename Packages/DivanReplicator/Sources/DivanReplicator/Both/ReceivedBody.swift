import DivanJSON
import DivanStore

/// A received body, prepared for the store: validated, without metadata, with its blobs known.
///
/// A body without metadata and blobs, as nearly every one is, is validated by one scan and kept byte for byte; only the
/// others are parsed. If a key occurs twice in an object, the last value counts, as in Sync Gateway, and only that is
/// stored: no two readers of the database, and no two peers that got it from here, can interpret it differently.
///
/// Source: `revisions.md` §3, `blobs.md` §5.
struct ReceivedBody {
    var bytes: [UInt8]
    var blobs: [BlobReference] = []
    /// Those of `blobs` whose content the sender does not have.
    var orphans: Set<BlobDigest> = []
    /// Whether the sender says that this user may no longer see the document.
    var isRemoved = false

    /// Validates and cleans a body.
    ///
    /// - Throws: HTTP/400 for anything but a JSON object, and for one with a key reserved by the protocol; HTTP/413 for
    ///   one that is too large.
    init(_ received: [UInt8], isTombstone: Bool, limits: ReplicatorLimits) throws(SyncError) {
        if received.isEmpty, isTombstone {
            bytes = Array("{}".utf8)
            return
        }
        guard received.count <= limits.documentByteCount else {
            throw .tooLarge(received.count, limits)
        }
        bytes = received
        let summary = try Self.summary(of: received)
        guard summary.hasUnderscoreKey || summary.mayHaveBlobs || summary.hasRepeatedKey
        else { return }
        guard let document = (try? JSON(parsing: received.span))?.object else {
            throw .http(.badRequest, "the body is not valid JSON")
        }
        try clean(document, summary)
    }

    private static func summary(of received: [UInt8]) throws(SyncError) -> JSONSummary {
        let summary: JSONSummary
        do {
            summary = try JSONScanner.validate(received.span, checksSpelling: false)
        } catch {
            if case .tooDeep(let limit) = error.reason {
                throw .http(
                    .badRequest,
                    "the body is nested more than \(limit) levels deep"
                )
            }
            throw .http(.badRequest, "the body is not valid JSON: \(error)")
        }
        guard summary.kind == .object else {
            throw .http(.badRequest, "the body is not a JSON object")
        }
        return summary
    }

    private mutating func clean(
        _ document: JSONObject,
        _ summary: JSONSummary
    ) throws(SyncError) {
        var cleaned = document
        if summary.hasUnderscoreKey {
            isRemoved = document["_removed"]?.bool == true
            // No well-behaved peer sends them, and without them it would be a different document.
            let reserved = BodyRules.reservedKeys.first { document.contains($0) }
            if let reserved, !isRemoved {
                throw .http(
                    .badRequest,
                    "the key \(reserved) at the top level of the body is reserved"
                )
            }
            cleaned.resolveAttachments()
            cleaned.removeAll {
                $0.key.utf8.first == UInt8(ascii: "_") && $0.key != LegacyAttachments.key
            }
        }
        if summary.hasUnderscoreKey || summary.hasRepeatedKey {
            guard let text = try? JSON.object(cleaned).canonicalBytes() else {
                throw .http(.badRequest, "the body cannot be written as JSON")
            }
            bytes = text
        }
        blobs = Self.blobs(in: cleaned)
        noteOrphans(of: document)
    }

    /// A sender that lists blobs lists all that it has: a blob missing from the list has no content.
    private mutating func noteOrphans(of document: JSONObject) {
        guard let attachments = document[LegacyAttachments.key]?.object,
            LegacyAttachments.namesBlobs(attachments)
        else { return }
        var listed: Set<BlobDigest> = []
        for (_, entry) in attachments {
            if let digest = entry["digest"]?.string.flatMap({ BlobDigest($0) }) {
                listed.insert(digest)
            }
        }
        orphans = Set(blobs.map(\.digest).filter { !listed.contains($0) })
    }

    /// The blobs of a stored or cleaned body, including old attachments, each digest once.
    static func blobs(in document: JSONObject) -> [BlobReference] {
        var seen: Set<BlobDigest> = []
        return BlobReferences.all(in: document).filter { seen.insert($0.digest).inserted }
    }
}
