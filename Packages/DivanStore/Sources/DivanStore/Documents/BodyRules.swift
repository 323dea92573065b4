internal import DivanJSON
internal import DivanRevisions
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

    /// The first reserved key of a canonical body; `nil` for a sound one.
    ///
    /// Nearly every body has no key that begins with `_` at any depth, which one search tells.
    static func reservedKey(in body: [UInt8]) -> String? {
        guard mayHaveUnderscoreKey(body) else { return nil }
        var reader = JSONReader(body, limits: StoreLimits.bodyText)
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reservedKeys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) { return key }
                try reader.skip()
            }
        } catch {
            // The caller vouches for the JSON; what is none has no keys.
        }
        return nil
    }

    /// Whether a canonical body has an empty key at the top level; such a key stands first.
    static func hasEmptyKey(_ body: [UInt8]) -> Bool {
        body.starts(with: #"{"":"#.utf8)
    }

    /// The C library's search passes over 32 bytes at a time; what it finds lies inside the body.
    private static func mayHaveUnderscoreKey(_ body: [UInt8]) -> Bool {
        body.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, CInt(UInt8(ascii: "_")), bytes.count - start)
            {
                let place = UnsafeRawPointer(found) - base
                if place > 0, bytes[place - 1] == UInt8(ascii: "\"") { return true }
                start = place + 1
            }
            return false
        }
    }
}

extension StoreWriter {
    /// Checks a body that this peer made by itself; one that `isMerged` keeps an empty key, for a peer
    /// may have sent it.
    func checkKeys(
        _ body: [UInt8],
        of documentID: DocumentID,
        isMerged: Bool = false
    ) throws(StoreError) {
        if let key = BodyRules.reservedKey(in: body) {
            throw StoreError(.forbiddenKey(documentID: documentID, key: key), at: path)
        }
        if !isMerged, BodyRules.hasEmptyKey(body) {
            throw StoreError(.forbiddenKey(documentID: documentID, key: ""), at: path)
        }
    }
}
