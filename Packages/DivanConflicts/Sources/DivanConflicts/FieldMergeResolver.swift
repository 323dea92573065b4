import DivanJSON

/// Merges two leaves member by member, so that edits of different fields are both kept.
///
/// If the body of the common ancestor is available, a change of only one side is taken from that side; otherwise
/// the fields of both sides are kept. Where both sides differ, the winner of the default rule is used, so all peers
/// merge in the same way; but a change wins over a removal. Objects are merged recursively; arrays and objects with
/// an `@type`, such as blobs, are not merged. A tombstone wins over any change.
///
/// Source: `behaviour.md` §9.
public struct FieldMergeResolver: ConflictResolver {
    /// Creates the rule; it has no settings.
    public init() {}

    /// Returns the merged body, or one side if the merged body is equal to it.
    ///
    /// - Throws: `JSONError` if a body is not JSON.
    public func resolve(_ conflict: Conflict) throws -> Resolution {
        let (local, remote) = (conflict.local, conflict.remote)
        guard !local.isTombstone, !remote.isTombstone else {
            return conflict.localWins ? .keepLocal : .keepRemote
        }
        let localBody = try JSON(parsing: local.body)
        let remoteBody = try JSON(parsing: remote.body)
        // Two peers may have made the same merge: then they agree by the default rule.
        if localBody == remoteBody { return conflict.localWins ? .keepLocal : .keepRemote }
        let base = try conflict.base.map { try JSON(parsing: $0) }
        let merge = FieldMerge(hasBase: base != nil)
        let merged =
            conflict.localWins
            ? merge.value(winner: localBody, loser: remoteBody, base: base)
            : merge.value(winner: remoteBody, loser: localBody, base: base)

        // The remote side first: taking it makes no new revision.
        guard let merged, merged != remoteBody else { return .keepRemote }
        return merged == localBody ? .keepLocal : .merge(body: try merged.canonicalBytes())
    }
}

extension ConflictResolver where Self == FieldMergeResolver {
    /// Merges two leaves member by member.
    public static var fieldMerge: Self { Self() }
}

/// One merge in progress; `nil` means that there is no value at a place.
private struct FieldMerge {
    /// Whether the ancestor is known, so that a missing value in it means that there was none.
    let hasBase: Bool

    /// Merges one place; calls itself once for each level that both sides have, which the parser
    /// bounds.
    func value(winner: JSON?, loser: JSON?, base: JSON?) -> JSON? {
        // Objects are only descended into: comparing them here too would compare a value once for each level.
        guard let winners = winner?.mergeableMembers, let losers = loser?.mergeableMembers else {
            if winner == loser { return winner }
            if hasBase {
                if winner == base { return loser }
                if loser == base { return winner }
            }
            // An edit wins over a removal: data lost by mistake cannot be recovered.
            return winner ?? loser
        }
        let bases = base?.mergeableMembers ?? [:]
        let keys = JSONObject(Array(winners) + Array(losers)).keys
        let members = keys.compactMap { key -> JSONObject.Member? in
            let merged = value(winner: winners[key], loser: losers[key], base: bases[key])
            return merged.map { (key, $0) }
        }
        return .object(JSONObject(members))
    }
}

extension JSON {
    /// The members, unless this is not an object or one that only makes sense as a whole.
    fileprivate var mergeableMembers: JSONObject? {
        guard let object, !object.contains("@type") else { return nil }
        return object
    }
}
