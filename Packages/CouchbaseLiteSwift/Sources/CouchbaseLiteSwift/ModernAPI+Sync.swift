public import DivanRevisions

// What the sync half of the package `Divan` uses of this one in addition to the public API.

extension Document {
    /// The revision; `nil` for a document that was never saved.
    @_spi(Modern) public var storedRevision: RevisionID? { state?.revisionID }

    /// The JSON text of a document that is not a `MutableDocument`.
    @_spi(Modern) public var storedBody: [UInt8] { body.bytes }
}
