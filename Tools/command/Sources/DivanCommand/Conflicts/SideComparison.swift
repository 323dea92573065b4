import DivanDatabase
import DivanExchange
import DivanJSON

/// How the two sides of a conflict changed their common ancestor, field by field.
struct SideComparison {
    private let conflict: StoredConflict
    private let base: JSONObject?
    private let local: JSONObject
    private let remote: JSONObject

    init(_ conflict: StoredConflict) throws {
        self.conflict = conflict
        base = try conflict.base.map { try JSONObject(storedBody: $0.body) }
        local = try JSONObject(storedBody: conflict.local.body)
        remote = try JSONObject(storedBody: conflict.remote.body)
    }

    /// The sides one after the other, each with its relevant fields.
    var lines: [String] {
        var lines: [String] = []
        if let base = conflict.base { lines.append("ancestor \(base.revisionID)") }
        lines += side("ours", conflict.local, local, against: base ?? remote)
        lines += side("theirs", conflict.remote, remote, against: base ?? local)
        return lines
    }

    private func side(
        _ name: String,
        _ revision: StoredRevision,
        _ members: JSONObject,
        against other: JSONObject
    ) -> [String] {
        let head = "\(name) \(revision.revisionID)"
        guard !revision.isTombstone else { return ["\(head)  tombstone"] }
        let keys = JSONObject(Array(members) + Array(other)).keys.sorted()
        let changes = keys.compactMap { change($0, members, other) }
        return [head] + (changes.isEmpty ? ["    unchanged"] : changes)
    }

    private func change(_ key: String, _ members: JSONObject, _ other: JSONObject) -> String? {
        let (mine, theirs) = (members[key], other[key])
        guard mine != theirs else { return nil }
        let name = JSON.string(key).canonicalText
        guard let mine else { return "  - \(name)" }
        return "  \(theirs == nil ? "+" : "~") \(name): \(mine.canonicalText)"
    }
}
