import DivanCommandLine
import DivanConflicts
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanSession

/// A conflict as a text for a person to edit.
enum ConflictText {
    private static let ours = "_ours"
    private static let theirs = "_theirs"

    /// The merged members, next to both sides.
    static func draft(_ conflict: StoredConflict) throws -> JSON {
        var object: JSONObject
        switch try ConflictDecision(merging: conflict) {
        case .keepLocal: object = try JSONObject(storedBody: conflict.local.body)
        case .keepRemote: object = try JSONObject(storedBody: conflict.remote.body)
        case .merge(let body, _): object = try JSONObject(storedBody: body)
        case .delete: object = [:]
        }
        object[ours] = try side(conflict.local)
        object[theirs] = try side(conflict.remote)
        return .object(object)
    }

    /// The decision that the edited text expresses.
    ///
    /// - Throws: `Failure` while both sides are still in it.
    static func decision(_ object: JSONObject) throws -> ConflictDecision {
        guard !object.contains(ours), !object.contains(theirs) else {
            throw Failure(
                kind: .invalid,
                sentence: "the text still contains \"\(ours)\" or \"\(theirs)\"",
                hint: "remove both keys"
            )
        }
        let body = try JSON.object(object).canonicalBytes()
        return .merge(body: body, hasBlobs: try !BlobReferences.digests(in: body).isEmpty)
    }

    /// The body of a side, or that it is a deletion.
    static func body(of side: StoredRevision) -> String {
        side.isTombstone ? "deleted" : String(decoding: side.body, as: UTF8.self)
    }

    private static func side(_ revision: StoredRevision) throws -> JSON {
        revision.isTombstone ? .null : .object(try JSONObject(storedBody: revision.body))
    }
}

extension ConflictDecision {
    /// Merges both sides field by field.
    ///
    /// - Throws: `JSONError` if a body is not JSON.
    init(merging stored: StoredConflict) throws {
        try self.init(FieldMergeResolver().resolve(Conflict(stored)))
    }
}
