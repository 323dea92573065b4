import Divan

struct TagsOfBoth: ConflictResolver {
    func resolve(_ conflict: Conflict) -> Document? {
        // nil: deleted on that side. Never nil on both sides.
        guard let mine = conflict.local, var merged = conflict.remote else { return nil }
        let tags = [mine, merged].flatMap { $0.tags?.value(as: [String].self) ?? [] }
        // Sorted, so that every peer gets the same result.
        merged.tags = Set(tags).sorted()
        return merged
    }
}

struct EditsOverDeletions: ConflictResolver {
    func resolve(_ conflict: Conflict) async throws -> Document? {
        switch (conflict.local, conflict.remote) {
        case (let mine?, nil): mine
        case (nil, let theirs?): theirs
        default: try await ConflictRule.standard.resolve(conflict)
        }
    }
}

func saveCarefully(_ note: Document, in notes: DocumentCollection) async throws {
    do {
        try await notes.save(note, ifRevision: note.revision)
    } catch DivanError.conflict {
        // Throws DivanError.notFound if the note was deleted since it was read.
        try await notes.update(note.id) { $0.text = note.text }
    }
}
