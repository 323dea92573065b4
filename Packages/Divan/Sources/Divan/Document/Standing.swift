import DivanStore

/// Which revision a document object stands for, of which collection.
///
/// A save inside a batch may be undone later, when nobody knows any more which objects were saved
/// in it. So what it left remembers the batch and what was before, and is passed over once the
/// batch is undone. Never changes, and may be shared by copies of a document.
final class Standing: Sendable {
    /// What the store said when the document was read or saved last; `nil` until saved, and once purged.
    let state: RevisionState?
    /// The collection; `nil` until saved, and kept where it is purged.
    let collection: Collection?
    private let batch: Batch?
    private let before: Standing?

    /// What holds outside of batches.
    init(_ state: RevisionState?, in collection: Collection?) {
        self.state = state
        self.collection = collection
        batch = nil
        before = nil
    }

    /// What a save or purge left; `batch` is the one that it happened in.
    init(
        _ state: RevisionState?,
        in collection: Collection?,
        after earlier: Standing,
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
                // Its own batch is over, so it needs nothing from before that.
                Standing(earlier.valid.state, in: earlier.valid.collection)
            }
    }

    /// This, or what was before it when its batch is undone.
    var valid: Standing {
        guard batch?.isUndone == true, let before else { return self }
        return before
    }
}
