import DivanJSON
import DivanStore

/// A blob that a body names: where its content comes from and how it may travel.
///
/// Source: `blobs.md` §1, §4.
struct BlobReference: Hashable {
    let digest: BlobDigest
    /// Bytes of the content as the document says; not to be trusted.
    let byteCount: Int
    /// Whether the content is worth compressing.
    let isCompressible: Bool

    /// Reads a blob dictionary; `nil` when its digest is no usable key.
    init?(_ object: JSONObject) {
        guard case .string(let text)? = object["digest"], let digest = BlobDigest(text) else {
            return nil
        }
        self.digest = digest
        byteCount = object["length"]?.int.flatMap { Int(exactly: $0) } ?? 0
        let encoding = object["encoding"]?.string ?? ""
        isCompressible = Self.isCompressible(
            contentType: object["content_type"]?.string,
            encoding: encoding
        )
    }

    /// Couchbase Lite's guess from the type; types that are compressed already are left alone.
    private static func isCompressible(contentType: String?, encoding: String) -> Bool {
        guard let type = contentType?.lowercased() else { return false }
        let packed = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]
        if packed.contains(where: { contains($0, in: type) || contains($0, in: encoding) }) {
            return false
        }
        return !["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }

    private static func contains(_ part: String, in text: String) -> Bool {
        let (part, text) = (Array(part.utf8), Array(text.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}

extension JSON {
    /// Calls `body` for each blob dictionary, with its place as a JSON Pointer; does not look
    /// inside one.
    func forEachBlob(at pointer: String = "", _ body: (String, JSONObject) -> Void) {
        switch self {
        case .object(let object):
            if !pointer.isEmpty, object["@type"]?.string == "blob" {
                body(pointer, object)
                return
            }
            for (key, value) in object {
                value.forEachBlob(at: pointer + "/" + escapedForPointer(key), body)
            }
        case .array(let items):
            for (index, value) in items.enumerated() {
                value.forEachBlob(at: pointer + "/" + String(index), body)
            }
        default:
            break
        }
    }
}

/// Escapes a key for a JSON Pointer (RFC 6901 §3).
private func escapedForPointer(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
        return key
    }
    var escaped = ""
    for scalar in key.unicodeScalars {
        switch scalar {
        case "~": escaped += "~0"
        case "/": escaped += "~1"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
