import DivanJSON
import DivanStore

// How a blob referenced in a body may be transferred.
//
// Source: `blobs.md` §4.
extension BlobReference {
    /// The content's size in bytes according to the document, or zero; not to be trusted.
    var byteCount: Int { statedByteCount ?? 0 }

    /// The content's size in bytes according to the document, if stated; not to be trusted.
    var statedByteCount: Int? {
        members["length"]?.int.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Whether the content is worth compressing: Couchbase Lite's guess from the type.
    ///
    /// Types that are already compressed are sent as they are.
    var isCompressible: Bool {
        guard let type = members["content_type"]?.string?.prefix(Self.typeCount).lowercased() else {
            return false
        }
        let encoding = String((members["encoding"]?.string ?? "").prefix(Self.typeCount))
        let packed = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]
        if packed.contains(where: { contains($0, in: type) || contains($0, in: encoding) }) {
            return false
        }
        return !["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }

    /// Number of characters of a type that are examined; real ones have fewer than a hundred.
    private static let typeCount = 255

    private func contains(_ part: String, in text: String) -> Bool {
        let (part, text) = (Array(part.utf8), Array(text.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
