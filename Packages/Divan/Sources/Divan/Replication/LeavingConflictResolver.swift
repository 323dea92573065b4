import DivanConflicts

extension ConflictResolver {
    /// Decides nothing: each conflict is reported as a failed document, with code 8, and stays.
    ///
    /// The current revision stays current meanwhile, and is not pushed. A later run with another
    /// resolver ends what is left, or a person does (`divan conflicts`). An addition to the
    /// official API.
    public static var leaveOpen: any ConflictResolverProtocol { LeavingConflictResolver() }
}

/// What a replicator recognises; asked directly, it answers as the default rule.
struct LeavingConflictResolver: ConflictResolverProtocol {
    /// The same in the terms of the package below.
    static let rule = ClosureResolver { conflict in
        throw ConflictLeftOpen(documentID: conflict.documentID)
    }

    func resolve(conflict: Conflict) -> Document? {
        DefaultConflictResolver().resolve(conflict: conflict)
    }
}

/// A conflict that waits for a person.
private struct ConflictLeftOpen: Error, CustomStringConvertible {
    let documentID: String

    var description: String { "document \(documentID): left open; resolve it by hand" }
}
