internal import DivanJSON
public import DivanRevisions

// What the sync half of the package `Divan` uses of this one in addition to the public API.

extension Document {
    /// The revision; `nil` for a document that was never saved.
    @_spi(Modern) public var storedRevision: RevisionID? { state?.revisionID }

    /// The JSON text; that of a `MutableDocument` is written now.
    @_spi(Modern) public var storedBody: [UInt8] {
        guard self is MutableDocument else { return body.bytes }
        return (try? JSON.object(root.members.metadataObject()).canonicalBytes()) ?? []
    }
}
