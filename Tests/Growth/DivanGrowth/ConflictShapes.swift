import DivanConflicts
import DivanRevisions

/// What resolvers do with the bodies of a conflict.
let conflictShapes: [Shape] = [
    Shape("FieldMergeResolver", "objects inside each other, with items below", from: 15, to: 120) {
        count in
        let items = repeatElement("0", count: 200 * count).joined(separator: ",")
        let leaves = ["2-0a", "2-0b"].compactMap { RevisionID($0) }.map { revisionID in
            let text =
                String(repeating: "{\"o\":", count: count)
                + "{\"a\":[\"\(revisionID)\"],\"b\":[\(items)]}"
                + String(repeating: "}", count: count)
            return Leaf(revisionID: revisionID, body: Array(text.utf8))
        }
        let conflict = Conflict(documentID: "d", local: leaves[0], remote: leaves[1])
        return { _ = try? FieldMergeResolver().resolve(conflict) }
    }
]
