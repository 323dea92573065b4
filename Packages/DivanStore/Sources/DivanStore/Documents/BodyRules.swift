internal import DivanJSON
internal import Glibc

/// What the body of a revision made on this peer may not hold: keys that would say something else
/// to a peer, or that no peer of another kind takes.
///
/// The bodies of other peers are their business: they come under revision IDs that stand for them.
///
/// Source: `revisions.md` §3, `behaviour.md` §3.
public enum BodyRules {
    /// Keys at the top level that the protocol keeps for itself: a body travels without them, so
    /// two peers would hold different bodies under one revision ID.
    public static let reservedKeys = ["_id", "_rev", "_deleted"]

    /// What is told of a canonical body by the keys at its top level.
    struct Findings {
        /// The first key that is reserved; `nil` for a sound body.
        var reservedKey: String?
        /// The first other key that a peer takes out of what it receives; `_exp` says something to Sync Gateway.
        var unsentKey: String?
        /// Whether there are attachments in the form of CouchDB.
        var hasAttachments = false
    }

    /// Looks at the keys at the top level.
    ///
    /// Nearly every body has no key that begins with `_` at any depth, which one search tells.
    static func findings(in body: [UInt8]) -> Findings {
        var findings = Findings()
        guard hasQuoted("_", in: body) else { return findings }
        var reader = JSONReader(body, limits: StoreLimits.bodyText)
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
            // The caller vouches for the JSON; what is none has no keys.
        }
        return findings
    }

    /// Whether a canonical body may name blobs; when not, it names none.
    static func mayNameBlobs(_ body: [UInt8]) -> Bool {
        mayHoldBlob(body) || hasQuoted("_attachments\":", in: body)
    }

    /// Whether a blob's dictionary may stand in a canonical body: few bodies have an `@`.
    static func mayHoldBlob(_ body: [UInt8]) -> Bool {
        hasQuoted("@type\":\"blob\"", in: body)
    }

    /// Whether a canonical body has an empty key at the top level; such a key stands first.
    static func hasEmptyKey(_ body: [UInt8]) -> Bool {
        body.starts(with: #"{"":"#.utf8)
    }

    /// Whether a text of ASCII stands in a body behind a quote.
    ///
    /// The C library's search passes over 32 bytes at a time; what it finds lies inside the body.
    private static func hasQuoted(_ text: StaticString, in body: [UInt8]) -> Bool {
        let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return body.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, CInt(wanted[0]), bytes.count - start)
            {
                let place = UnsafeRawPointer(found) - base
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
