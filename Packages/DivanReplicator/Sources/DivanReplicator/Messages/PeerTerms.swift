import DivanBLIP

/// What a peer said about itself in its answer to a list.
///
/// Source: `replication.md` §3, "Reply properties".
struct PeerTerms {
    /// The longest history it wants; at least 1.
    var historyCount: Int
    /// Whether blobs need no `_attachments` in addition.
    var understandsBlobs: Bool
    /// Whether it wants the current revision if the requested one is gone.
    var takesReplacements: Bool
    /// Whether it wants to be told that its own revision was given up here.
    var takesClosings: Bool
    /// Whether it remembers every tree ID behind a vector; others compare the first with their own.
    var takesTreeIDs: Bool

    init(_ properties: BLIPProperties, limits: ReplicatorLimits) {
        let asked = properties["maxHistory"].flatMap { Int($0) } ?? 0
        historyCount = asked > 0 ? min(asked, limits.receivedHistoryCount) : limits.historyCount
        understandsBlobs = properties.bool("blobs")
        takesReplacements = properties.bool("sendReplacementRevs")
        takesClosings = properties.bool(DivanProperty.closings)
        takesTreeIDs = properties.bool(DivanProperty.treeIDs)
    }
}

extension BLIPProperties {
    /// What this side says about itself in every answer to a list; about deltas only in the first.
    ///
    /// Source: `replication.md` §3, "Reply properties".
    static func ownTerms(
        in dialect: RevisionDialect,
        historyCount: Int,
        takesDeltas: Bool
    ) -> BLIPProperties {
        var properties = BLIPProperties()
        if dialect.namesHistoryCount { properties.append("maxHistory", String(historyCount)) }
        properties.append("blobs", "true")
        if takesDeltas { properties.append("deltas", "true") }
        properties.append("sendReplacementRevs", "true")
        if dialect.namesClosings { properties.append(DivanProperty.closings, "true") }
        if dialect.namesTreeIDs { properties.append(DivanProperty.treeIDs, "true") }
        return properties
    }
}
