import DivanBLIP
import DivanRevisions
import DivanStore

/// The properties of a `rev` message.
///
/// Source: `replication.md` §4.
struct RevisionMessage {
    var documentID: DocumentID
    var revisionID: RevisionID
    /// The revision's past.
    var ancestry = RevisionAncestry()
    /// The announced sequence; an active puller needs it.
    var sequence: RemoteSequence?
    /// The sequence under which the sender stored the revision, if it replaces the announced one: statements of the
    /// sender about an earlier one are outdated by then.
    var replacingSequence: UInt64?
    var isTombstone = false
    /// The revision to which the delta applies.
    var deltaSource: RevisionID?
    /// A tombstone with its history, newest first, that ends the receiver's current branch.
    ///
    /// The sender gave up that branch for this revision, which does not descend from it
    /// (`revisions.md` §8).
    var closing: [RevisionID] = []
    /// Whether the sender requests a refusal instead of a conflict.
    var refusesConflicts = false
    /// Whether the sender accepts the closed branch again, if that comes first in the order of both.
    var keepsOrder = false

    /// Reads received properties.
    ///
    /// - Throws: HTTP/400 that names the property.
    init(
        _ fields: RevisionFields,
        in dialect: RevisionDialect = RevisionDialect(.trees),
        limits: ReplicatorLimits
    ) throws(SyncError) {
        guard let name = fields.name.value else { throw .http(.badRequest, "rev without id") }
        guard let documentID = try? DocumentID(received: name) else {
            throw .http(.badRequest, "invalid document ID")
        }
        guard let revisionID = fields.revisionID.value else {
            throw .http(.badRequest, "rev without a valid revision ID")
        }
        self.documentID = documentID
        self.revisionID = revisionID
        sequence = fields.sequence.value ?? fields.oldSequence.value
        replacingSequence = fields.replacingSequence.value.flatMap { UInt64($0) }
        guard let isTombstone = fields.isTombstone.truth,
            let refusesConflicts = fields.refusesConflicts.truth,
            let keepsOrder = fields.keepsOrder.truth
        else { throw .http(.badRequest, "deleted, noconflicts and closings must be true or false") }
        self.isTombstone = isTombstone
        self.refusesConflicts = refusesConflicts
        self.keepsOrder = keepsOrder
        if let source = fields.deltaSource.value, !source.isEmpty, !isTombstone {
            guard let sourceID = dialect.revisionID(source) else {
                throw .http(.unprocessable, "invalid deltaSrc")
            }
            deltaSource = sourceID
        }
        if let text = fields.history.value, !text.isEmpty {
            ancestry = try dialect.ancestry(of: revisionID, text, limits: limits)
        }
        if let text = fields.closing.value, !text.isEmpty {
            closing = try dialect.tree(text, limits: limits)
        }
    }

    /// Creates properties for sending.
    init(documentID: DocumentID, revisionID: RevisionID) {
        self.documentID = documentID
        self.revisionID = revisionID
    }

    /// The properties in Couchbase Lite's order.
    func properties(collection: Int?, replacing replaced: RevisionID?) -> BLIPProperties {
        var properties = BLIPProperties.profile("rev", collection: collection)
        properties.append(named: "id", utf8: documentID.text.utf8.span)
        revisionID.withText { properties.append(named: "rev", utf8: $0) }
        if let number = sequence?.integer {
            properties.append(named: "sequence", number)
        } else if let sequence {
            properties.append("sequence", sequence.json)
        }
        if isTombstone { properties.append("deleted", "1") }
        if !ancestry.ids.isEmpty {
            properties.append("history", ancestry.text(of: revisionID))
        }
        if let deltaSource { properties.append("deltaSrc", deltaSource.description) }
        if let replaced { properties.append("replacedRev", replaced.description) }
        if let replacingSequence {
            properties.append(DivanProperty.replacingSequence, String(replacingSequence))
        }
        if !closing.isEmpty {
            let branch = closing.map(\.description).joined(separator: ",")
            properties.append("deleted_branch", branch)
        }
        if keepsOrder { properties.append(DivanProperty.closings, "true") }
        if refusesConflicts { properties.append(named: "noconflicts", "true") }
        return properties
    }
}

extension BLIPProperties {
    /// The only value of the property `filter` that peers know: by channels.
    static let channelFilter = "sync_gateway/bychannel"

    /// The start of every request: its profile, and its collection.
    static func profile(_ name: StaticString, collection: Int?) -> BLIPProperties {
        var properties = BLIPProperties()
        properties.append(named: "Profile", name)
        if let collection { properties.append(named: "collection", UInt64(collection)) }
        return properties
    }
}
