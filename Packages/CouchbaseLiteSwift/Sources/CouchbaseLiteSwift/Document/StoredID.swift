import DivanRevisions

/// A document ID as compared below the public API: by its bytes.
///
/// The API returns `String`, like the official one, and `DocumentID` is the name of its property wrapper. Nothing
/// inside is keyed by `String`, which would confuse two documents.
typealias StoredID = DivanRevisions.DocumentID
