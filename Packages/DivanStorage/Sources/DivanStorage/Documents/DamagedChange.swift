public import DivanRevisions

/// An entry of the changes feed that cannot be read.
public struct DamagedChange: Equatable, Sendable {
    /// The sequence in the collection.
    public let sequence: UInt64
    /// The document, as far as its ID can be trusted.
    public let documentID: DocumentID
    /// What is wrong with it.
    public let error: StoreError

    /// Creates an entry.
    public init(sequence: UInt64, documentID: DocumentID, error: StoreError) {
        self.sequence = sequence
        self.documentID = documentID
        self.error = error
    }
}
