import DivanDatabase

/// Which revision, in which collection, a document object stands for.
///
/// A batch may be rolled back when nobody knows any longer which objects were saved in it. So the result of a save
/// refers to the batch and to the previous standing, which replaces it once the batch is undone. Immutable; copies of a
/// document may share it.
final class DocumentState: Sendable {
    /// The state in the store when the document was last read or saved; `nil` until saved, and once purged.
    let state: RevisionState?
    /// The collection; `nil` until saved, and kept after a purge.
    let collection: Collection?
    private let batch: Batch?
    private let before: DocumentState?

    /// Creates a standing outside of batches.
    init(_ state: RevisionState?, in collection: Collection?) {
        self.state = state
        self.collection = collection
        batch = nil
        before = nil
    }

    /// Creates the result of a save or purge in `batch`.
    init(
        _ state: RevisionState?,
        in collection: Collection?,
        after earlier: DocumentState,
        batch: Batch?
    ) {
        self.state = state
        self.collection = collection
        self.batch = batch
        before =
            if batch == nil {
                nil
            } else if earlier.batch === batch {
                earlier.before
            } else {
                // The earlier batch is over, so nothing from before it is needed.
                DocumentState(earlier.valid.state, in: earlier.valid.collection)
            }
    }

    /// This standing, or the previous one if its batch is undone.
    var valid: DocumentState {
        guard batch?.isUndone == true, let before else { return self }
        return before
    }
}
