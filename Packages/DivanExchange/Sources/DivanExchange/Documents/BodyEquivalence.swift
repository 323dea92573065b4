public import DivanJSON

/// What a stored body means, regardless of how its sender spelled it.
///
/// Sync Gateway rewrites bodies: it escapes `<`, `>`, `&` and some separators, and numbers its
/// attachments. Source: `revisions.md` §3, `blobs.md` §5.
public enum BodyEquivalence {
    /// Whether two stored bodies mean the same.
    public static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left != right else { return true }
        if let left = plainText(of: left), let right = plainText(of: right) { return left == right }
        guard let left = meaning(of: left), let right = meaning(of: right) else { return false }
        return left == right
    }

    /// The canonical text of a long body without attachments; `nil` for any other.
    private static func plainText(of body: [UInt8]) -> [UInt8]? {
        guard let members = try? JSONMembers(storedBody: body), members.tree == nil,
            !members.contains(InlineBlobs.attachmentsKey)
        else { return nil }
        return try? members.canonicalBytes()
    }

    private static func meaning(of body: [UInt8]) -> JSON? {
        guard let value = try? JSON(storedBody: body) else { return nil }
        let key = InlineBlobs.attachmentsKey
        guard var object = value.object, let attachments = object[key]?.object else {
            return value
        }
        let entries = attachments.map { name, entry -> JSONObject.Member in
            guard var entry = entry.object else { return (name, entry) }
            for member in ["revpos", "stub"] { entry[member] = nil }
            return (name, .object(entry))
        }
        object[key] = .object(JSONObject(entries))
        return .object(object)
    }
}

extension JSON {
    /// The canonical text of the value; numbers that JSON cannot hold never get this far.
    var canonicalText: String {
        String(decoding: (try? canonicalBytes()) ?? [], as: UTF8.self)
    }

    /// Parses the body of a stored document: anything that could be stored, even if larger than anything
    /// that can be transferred.
    public init(storedBody bytes: [UInt8]) throws(JSONError) {
        try self.init(parsing: bytes, limits: JSONLimits(byteCount: bytes.count))
    }
}

extension JSONMembers {
    /// The members of a stored body; none of a tombstone without one.
    public init(storedBody bytes: [UInt8]) throws(JSONError) {
        let limits = JSONLimits(byteCount: bytes.count)
        let members = try bytes.isEmpty ? nil : JSONMembers(parsing: bytes, limits: limits)
        self = members ?? JSONMembers(JSONObject())
    }
}

extension JSONObject {
    /// The members of a stored body; none of a tombstone without one.
    public init(storedBody bytes: [UInt8]) throws(JSONError) {
        self = bytes.isEmpty ? [:] : try JSON(storedBody: bytes).object ?? [:]
    }
}
