public import DivanJSON

/// A place in a document's body that names a blob.
public struct BlobReference: Hashable, Sendable {
    /// The content.
    public var digest: BlobDigest
    /// Where in the body, as a JSON Pointer (RFC 6901); `/_attachments/<name>` for an attachment.
    public var pointer: String
}

/// Finds the blobs that a document's body names.
///
/// An object with `"@type":"blob"` anywhere below the root, and each entry of a top-level
/// `_attachments`. Not inside a blob's own dictionary; a digest that is no usable key is passed
/// over.
///
/// Source: `blobs.md` §1, §2, §5.
public enum BlobReferences {
    /// Finds all places, in canonical order of the keys.
    ///
    /// - Throws: `JSONError` when the body is no JSON.
    public static func all(in body: Span<UInt8>) throws(JSONError) -> [BlobReference] {
        all(in: try JSON(parsing: body))
    }

    /// Finds all places, in canonical order of the keys.
    public static func all(in body: JSON) -> [BlobReference] {
        var references: [BlobReference] = []
        guard case .object(let members) = body else { return [] }
        for (name, entry) in members["_attachments"]?.object ?? [:] {
            guard let digest = digest(of: entry) else { continue }
            let pointer = "/_attachments/" + escaped(name)
            references.append(BlobReference(digest: digest, pointer: pointer))
        }
        for (key, value) in members where key != "_attachments" {
            find(in: value, at: "/" + escaped(key), &references)
        }
        return references
    }

    /// The digests of all places.
    ///
    /// - Throws: `JSONError` when the body is no JSON.
    public static func digests(in body: Span<UInt8>) throws(JSONError) -> Set<BlobDigest> {
        Set(try all(in: body).map(\.digest))
    }

    // As deep as the parser lets a body nest (`JSONLimits.depth`), so the stack suffices.
    private static func find(
        in value: JSON,
        at pointer: String,
        _ references: inout [BlobReference]
    ) {
        switch value {
        case .object(let members) where members["@type"]?.string == "blob":
            guard let digest = digest(of: value) else { return }
            references.append(BlobReference(digest: digest, pointer: pointer))
        case .object(let members):
            for (key, member) in members {
                find(in: member, at: pointer + "/" + escaped(key), &references)
            }
        case .array(let items):
            for (index, item) in items.enumerated() {
                find(in: item, at: "\(pointer)/\(index)", &references)
            }
        default:
            break
        }
    }

    private static func digest(of blob: JSON) -> BlobDigest? {
        blob["digest"]?.string.flatMap { BlobDigest($0) }
    }

    /// A key as one step of a JSON Pointer (RFC 6901 §3).
    private static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
        else { return key }
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
}
