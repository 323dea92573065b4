internal import DivanConflicts
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

extension BundledConflictResolver {
    /// What a rule decides about a conflict.
    @_spi(Modern) public enum Decision: Sendable {
        /// The local document, or its deletion, is kept.
        case local
        /// The remote document, or its deletion, is kept.
        case remote
        /// The document is deleted.
        case deletion
        /// A new body replaces both.
        case merged([UInt8])
    }

    /// A document of a conflict: its revision, `nil` before the first save, and its JSON text, `nil` if it was deleted.
    @_spi(Modern) public typealias Side = (revisionID: RevisionID?, body: [UInt8]?)

    /// Decides about documents that no sync has found in conflict, as tests of resolvers need it.
    ///
    /// - Throws: An error if the rule leaves conflicts open.
    @_spi(Modern) public func decide(
        documentID: String,
        local: Side,
        remote: Side,
        base: [UInt8]?
    ) throws -> Decision {
        let conflict = DivanConflicts.Conflict(
            documentID: StoredID(unchecked: documentID),
            local: try Leaf(local),
            remote: try Leaf(remote),
            base: base
        )
        return switch try engineRule.resolve(conflict) {
        case .keepLocal: .local
        case .keepRemote: .remote
        case .delete: .deletion
        case .merge(let body, _): .merged(body)
        }
    }
}

extension Leaf {
    /// A document that was never saved gets the revision of its first save.
    fileprivate init(_ side: BundledConflictResolver.Side) throws(RevisionError) {
        let body = side.body ?? Array("{}".utf8)
        let isTombstone = side.body == nil
        let revisionID: RevisionID
        if let known = side.revisionID {
            revisionID = known
        } else {
            revisionID = try .digesting(
                parent: nil,
                isTombstone: isTombstone,
                canonicalBody: body.span
            )
        }
        self.init(revisionID: revisionID, isTombstone: isTombstone, body: body)
    }
}
