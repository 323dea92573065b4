import DivanJSON
import DivanStore

/// A received body, made fit for the store: validated, without metadata, with its blobs known.
///
/// A body without metadata and blobs, nearly every one, is validated by one scan and kept byte
/// for byte; only the others are parsed.
///
/// Source: `revisions.md` §3, `blobs.md` §5.
struct ReceivedBody {
    var bytes: [UInt8]
    var blobs: [BlobReference] = []
    /// Those of `blobs` whose content the sender does not have.
    var orphans: Set<BlobDigest> = []
    /// Whether the sender says that this user may no longer see the document.
    var isRemoved = false

    /// Cleans a body.
    ///
    /// - Throws: HTTP/400 for anything but a JSON object.
    init(_ received: [UInt8], isTombstone: Bool) throws(SyncError) {
        if received.isEmpty, isTombstone {
            bytes = Array("{}".utf8)
            return
        }
        bytes = received
        let summary: JSONSummary
        do {
            summary = try JSONScanner.validate(received.span, checksSpelling: false)
        } catch {
            throw .http(400, "the body is not valid JSON: \(error)")
        }
        guard summary.kind == .object else { throw .http(400, "the body is no JSON object") }
        guard summary.hasUnderscoreKey || summary.hasDigestKey || summary.mayHaveBlobs else {
            return
        }
        guard let document = (try? JSON(parsing: received.span))?.object else {
            throw .http(400, "the body is not valid JSON")
        }
        try clean(document, hasMetadata: summary.hasUnderscoreKey)
    }

    private mutating func clean(_ document: JSONObject, hasMetadata: Bool) throws(SyncError) {
        var cleaned = document
        if hasMetadata {
            isRemoved = document["_removed"]?.bool == true
            LegacyAttachments.resolve(in: &cleaned)
            cleaned.removeAll { $0.key.hasPrefix("_") && $0.key != LegacyAttachments.key }
            guard let text = try? JSON.object(cleaned).canonicalBytes() else {
                throw .http(400, "the body cannot be written as JSON")
            }
            bytes = text
        }
        blobs = Self.blobs(in: cleaned)
        noteOrphans(of: document)
    }

    /// A sender that lists attachments lists all it has: a blob beside the list has no content.
    private mutating func noteOrphans(of document: JSONObject) {
        guard let attachments = document[LegacyAttachments.key]?.object else { return }
        var listed: Set<String> = []
        for (_, entry) in attachments {
            if let digest = entry["digest"]?.string { listed.insert(digest) }
        }
        orphans = Set(blobs.map(\.digest).filter { !listed.contains($0.description) })
    }

    /// The blobs of a stored or cleaned body, old attachments included, each digest once.
    static func blobs(in document: JSONObject) -> [BlobReference] {
        var seen: Set<BlobDigest> = []
        return BlobReferences.all(in: document).filter { seen.insert($0.digest).inserted }
    }
}
