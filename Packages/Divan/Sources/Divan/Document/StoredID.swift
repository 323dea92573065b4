import DivanRevisions

/// A document ID as it is compared below the public API: by its bytes.
///
/// The API hands out `String`, as the official one does, and `DocumentID` is the name of its
/// property wrapper; inside, nothing is keyed by text, which would take two documents for one.
typealias StoredID = DivanRevisions.DocumentID
