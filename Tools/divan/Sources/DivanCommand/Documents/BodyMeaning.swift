import DivanJSON

/// What a stored body means, regardless of how its sender spelled it.
///
/// Sync Gateway rewrites bodies: it escapes `<`, `>`, `&` and some separators, and numbers its
/// attachments. Source: `revisions.md` §3, `blobs.md` §5.
enum BodyMeaning {
    /// Whether two stored bodies mean the same.
    static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left != right else { return true }
        guard let left = meaning(of: left), let right = meaning(of: right) else { return false }
        return left == right
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
    /// Parses the body of a stored document: anything that could be stored, even if larger than anything
    /// that can be transferred.
    init(storedBody bytes: [UInt8]) throws(JSONError) {
        try self.init(parsing: bytes, limits: JSONLimits(byteCount: bytes.count))
    }
}

extension JSONObject {
    /// The members of a stored body; none of a tombstone without one.
    init(storedBody bytes: [UInt8]) throws(JSONError) {
        self = bytes.isEmpty ? [:] : try JSON(storedBody: bytes).object ?? [:]
    }
}
