public import DivanJSON

/// A place in a document's body that names a blob.
public struct BlobReference: Equatable, Sendable {
    /// The content.
    public var digest: BlobDigest
    /// Where in the body, as a JSON Pointer (RFC 6901); `/_attachments/<name>` for an attachment.
    public var pointer: String
    /// The object at that place: the content's length, its type, and what else stands there.
    public var members: JSONObject
}

/// Finds the blobs that a document's body names.
///
/// An object with `"@type":"blob"` anywhere below the root, then each entry of a top-level
/// `_attachments`. Not inside a blob's own dictionary; a digest that is no usable key is passed
/// over.
///
/// Source: `blobs.md` §1, §2, §5.
public enum BlobReferences {
    private static let attachmentsKey = "_attachments"
    private static let attachmentsPrefix = "/_attachments/"

    /// Finds all places, in canonical order of the keys; attachments come last.
    ///
    /// - Throws: `JSONError` when the body is no JSON.
    public static func all(in body: Span<UInt8>) throws(JSONError) -> [BlobReference] {
        all(in: try JSON(parsing: body))
    }

    /// Finds all places, in canonical order of the keys; attachments come last.
    public static func all(in body: JSON) -> [BlobReference] {
        guard case .object(let members) = body else { return [] }
        return all(in: members)
    }

    /// Finds all places, in canonical order of the keys; attachments come last.
    public static func all(in document: JSONObject) -> [BlobReference] {
        var references: [BlobReference] = []
        for (key, value) in document where key != attachmentsKey {
            find(in: value, at: "/" + escaped(key), &references)
        }
        for (name, entry) in document[attachmentsKey]?.object ?? [:] {
            guard let entry = entry.object else { continue }
            append(entry, at: attachmentsPrefix + escaped(name), to: &references)
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
            append(members, at: pointer, to: &references)
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

    private static func append(
        _ blob: JSONObject,
        at pointer: String,
        to references: inout [BlobReference]
    ) {
        guard let digest = blob["digest"]?.string.flatMap({ BlobDigest($0) }) else { return }
        references.append(BlobReference(digest: digest, pointer: pointer, members: blob))
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
