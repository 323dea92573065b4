import DivanJSON

/// A change of a document that resembles the document: its members replace others, and `null` removes them.
///
/// Source: RFC 7396.
struct JSONMergePatch {
    private let members: JSONObject

    /// Reads a patch.
    ///
    /// - Throws: `JSONError`; `RESTError` if it is not an object, because it would replace the document.
    init(parsing bytes: ArraySlice<UInt8>) throws {
        guard let members = try JSON(parsing: bytes).object else {
            throw RESTError.bad("a merge patch must be a JSON object: {\"KEY\": VALUE, …}")
        }
        self.members = members
    }

    /// Changes a document.
    func apply(to document: inout JSON) {
        document = Self.merged(members, into: document.object ?? [:])
    }

    /// Recursive, with the depth of the patch, which the parser limits; linear in the sizes of both objects.
    private static func merged(_ patch: JSONObject, into old: JSONObject) -> JSON {
        var result: [JSONObject.Member] = []
        result.reserveCapacity(old.count + patch.count)
        for member in old where !patch.contains(member.key) { result.append(member) }
        for (key, value) in patch {
            switch value {
            case .null: continue
            case .object(let members):
                result.append((key, merged(members, into: old[key]?.object ?? [:])))
            default: result.append((key, value))
            }
        }
        return .object(JSONObject(result))
    }
}
