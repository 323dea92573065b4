internal import DivanJSON
import DivanPlatform

/// The rules for the bodies of local revisions: keys that have another meaning for peers, or that other kinds of
/// peers reject, are not allowed.
///
/// Received bodies are not checked, because their revision IDs are already computed from them.
///
/// Source: `revisions.md` §3, `behaviour.md` §3.
public enum BodyRules {
    /// Top-level keys that the protocol reserves: a body is sent without them, so two peers would have different
    /// bodies with the same revision ID.
    public static let reservedKeys = ["_id", "_rev", "_deleted"]

    /// What the top-level keys of a canonical body reveal.
    struct Findings {
        /// The first key that is reserved; `nil` if there is none.
        var reservedKey: String?
        /// The first other key that a peer removes from what it receives; `_exp` has a meaning for Sync Gateway.
        var unsentKey: String?
        /// Whether there are attachments in CouchDB's form.
        var hasAttachments = false
    }

    /// Checks the top-level keys.
    ///
    /// Nearly every body has no key that begins with `_` at any depth, which a single search shows.
    static func findings(in body: [UInt8]) -> Findings {
        var findings = Findings()
        guard hasQuoted("_", in: body) else { return findings }
        var reader = JSONReader(body, limits: StorageLimits.bodyText)
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reservedKeys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) {
                    findings.reservedKey = key
                    return findings
                }
                if key.utf8.elementsEqual(BlobReferences.attachmentsKey.utf8) {
                    findings.hasAttachments = true
                } else if key.utf8.first == UInt8(ascii: "_"), key != "_exp" {
                    findings.unsentKey = findings.unsentKey ?? key
                }
                try reader.skip()
            }
        } catch {
            // The caller vouches that this is JSON; anything else has no keys.
        }
        return findings
    }

    /// Whether a canonical body may refer to blobs; if `false`, it refers to none.
    static func mayNameBlobs(_ body: [UInt8]) -> Bool {
        mayHoldBlob(body) || hasQuoted("_attachments\":", in: body)
    }

    /// Whether a canonical body may contain a blob's dictionary: few bodies have an `@`.
    static func mayHoldBlob(_ body: [UInt8]) -> Bool {
        hasQuoted("@type\":\"blob\"", in: body)
    }

    /// Whether a canonical body has an empty top-level key; such a key comes first.
    static func hasEmptyKey(_ body: [UInt8]) -> Bool {
        body.starts(with: #"{"":"#.utf8)
    }

    /// Whether an ASCII text follows a quotation mark in a body.
    ///
    /// The C library's search scans 32 bytes at a time; a match lies inside the body.
    private static func hasQuoted(_ text: StaticString, in body: [UInt8]) -> Bool {
        let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return body.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress,
                let found = Memory.position(
                    of: wanted[0],
                    in: base + start,
                    count: bytes.count - start
                )
            {
                let place = start + found
                if place > 0, bytes[place - 1] == UInt8(ascii: "\""),
                    bytes[place...].starts(with: wanted)
                {
                    return true
                }
                start = place + 1
            }
            return false
        }
    }
}
