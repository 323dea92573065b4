public import DivanCrypto

/// The revisions of one document: the interface between the engine, which stores and syncs, and a revision scheme,
/// which determines the order of revisions.
///
/// The engine does not know whether a history is a tree (`RevisionTree`) or version vectors (`VectorHistory`). A
/// history is a value without storage: it is loaded, changed and written back.
public protocol RevisionHistory: Sendable {
    /// The revision that readers of the document see; `nil` only in an empty history.
    var current: HistoryRevision? { get }
    /// All revisions whose body is kept.
    var revisionsWithBody: [HistoryRevision] { get }
    /// Whether the document's row contains the whole history: there is one revision, and no remote is known to have
    /// it.
    var isSingle: Bool { get }
    /// Whether the document has revisions that are not ancestors of the current revision.
    var isBranched: Bool { get }
    /// Whether a revision waits for a resolver.
    var isConflicted: Bool { get }
    /// The two revisions for a resolver.
    var conflict: (local: HistoryRevision, remote: HistoryRevision)? { get }

    /// The revision with this ID, if more than the ID is known.
    subscript(id: RevisionID) -> HistoryRevision? { get }
    /// The revision with this ID and its ancestors, newest first, as far as their IDs are known.
    func names(behind id: RevisionID) -> [RevisionID]
    /// The revision and its known ancestors as text: IDs separated by commas, or a vector.
    func text(of id: RevisionID) -> String
    /// The place of a revision in the order in which conflicts are decided; `nil` if it is not known.
    func precedence(of id: RevisionID) -> Precedence?
    /// A common ancestor whose body may be kept: the base of a merge.
    func commonAncestor(of first: RevisionID, and second: RevisionID) -> HistoryRevision?
    /// Whether `ancestor` is an ancestor of `id`.
    func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool
    /// The closed branch for a peer that still has a revision that lost a conflict here: the closing tombstone
    /// first; empty if there is none.
    func closedBranch(from id: RevisionID) -> [RevisionID]
    /// The latest revision that a remote is known to have.
    func latest(at remote: RemoteID) -> RevisionID?
    /// The answer to an announced revision; `remote` is `nil` if conflicts are not tracked.
    func standing(
        ofAnnounced id: RevisionID,
        at remote: RemoteID?,
        keepsOrder: Bool
    ) -> AnnouncedRevisionStatus
    /// The ancestry to send with a revision: at most `limit` − 1 IDs, down to an ID that the peer is `known` to
    /// have.
    ///
    /// A peer that `takesTreeIDs` keeps all tree IDs after a vector, and compares the vectors.
    func ancestry(
        of id: RevisionID,
        limit: Int,
        until known: [RevisionID],
        takesTreeIDs: Bool,
        random: any RandomSource
    ) -> RevisionAncestry

    /// Adds a local revision.
    mutating func save(
        _ edit: LocalEdit,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome
    /// Adds a revision from a peer.
    mutating func insert(
        _ received: ReceivedRevision,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome
    /// Records that a remote has a revision; an older revision than the recorded one is ignored, unless the remote
    /// `goesBack` to it.
    mutating func markLatest(_ id: RevisionID, at remote: RemoteID, goesBack: Bool)
    /// Resolves the conflict between the current revision and a conflicting revision; returns the result.
    mutating func end(
        _ conflict: (local: RevisionID, remote: RevisionID),
        as decision: HistoryDecision,
        closesRemote: Bool,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> RevisionID
    /// Makes the current revision a descendant of a revision that lost against it; `nil` if nothing changes.
    ///
    /// `blinding` is that of `RevisionID.digesting`.
    mutating func graftCurrent(
        onto loser: RevisionID,
        blinding: [UInt8]
    ) throws(RevisionError) -> RevisionID?
    /// Replaces the current revision with a revision that lost a conflict here, because a remote requires it.
    mutating func takeBack(
        _ id: RevisionID,
        from remote: RemoteID
    ) throws(RevisionError) -> Bool
    /// Sets the sequence of all new revisions.
    mutating func assignSequence(_ sequence: UInt64)
    /// Replaces the kept bodies of all revisions except the current one.
    mutating func transformOldBodies<E: Error>(
        _ transform: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E)

    /// The history as bytes, without the current revision's ID, sequence and body.
    func encoded() -> [UInt8]
}

extension RevisionHistory {
    /// The ancestry for a peer of any kind.
    public func ancestry(
        of id: RevisionID,
        limit: Int,
        until known: [RevisionID],
        random: any RandomSource
    ) -> RevisionAncestry {
        ancestry(of: id, limit: limit, until: known, takesTreeIDs: false, random: random)
    }
}

/// A local change of a document.
public struct LocalEdit: Sendable {
    /// The parent, which is the current revision; `nil` for the first revision.
    public var parent: RevisionID?
    /// Whether it deletes the document.
    public var isTombstone: Bool
    /// Whether the body refers to blobs.
    public var hasBlobs: Bool
    /// Canonical JSON; `{}` for a tombstone.
    public var body: [UInt8]
    /// The rule for old bodies.
    public var retention: BodyRetention

    /// Creates an edit from its parts.
    public init(
        parent: RevisionID?,
        isTombstone: Bool = false,
        hasBlobs: Bool = false,
        body: [UInt8],
        retention: BodyRetention = .none
    ) {
        self.parent = parent
        self.isTombstone = isTombstone
        self.hasBlobs = hasBlobs
        self.body = body
        self.retention = retention
    }

    var flags: RevisionFlags {
        var flags: RevisionFlags = []
        if isTombstone { flags.insert(.tombstone) }
        if hasBlobs { flags.insert(.hasBlobs) }
        return flags
    }
}

/// A revision from a peer; the members are the parameters of `RevisionTree.insertRemote`.
public struct ReceivedRevision: Sendable {
    /// The ID of the revision.
    public var id: RevisionID
    /// The ancestry of the revision.
    public var ancestry: RevisionAncestry
    /// The flags; only `tombstone` and `hasBlobs` are allowed.
    public var flags: RevisionFlags
    /// JSON as received.
    public var body: [UInt8]
    /// The remote that sent it; `nil` if the remote is not tracked.
    public var remote: RemoteID?
    /// Whether only descendants of existing revisions are accepted.
    public var refusesConflicts: Bool
    /// The branch that the sender closed for this revision, with its ancestors.
    public var closing: [RevisionID]
    /// Whether the sender applies the order of `Precedence` and sends the ancestry of every revision, as Divan
    /// peers do; a new document of such a sender is in conflict with a deletion that it does not follow.
    public var keepsOrder: Bool
    /// Whether the remote is known to have a newer revision.
    public var isOutdated: Bool
    /// The rule for old bodies.
    public var retention: BodyRetention

    /// Creates a revision from its parts.
    public init(
        _ id: RevisionID,
        ancestry: RevisionAncestry = RevisionAncestry(),
        flags: RevisionFlags = [],
        body: [UInt8],
        remote: RemoteID?,
        refusesConflicts: Bool,
        closing: [RevisionID] = [],
        keepsOrder: Bool = false,
        isOutdated: Bool = false,
        retention: BodyRetention = .none
    ) {
        self.id = id
        self.ancestry = ancestry
        self.flags = flags
        self.body = body
        self.remote = remote
        self.refusesConflicts = refusesConflicts
        self.closing = closing
        self.keepsOrder = keepsOrder
        self.isOutdated = isOutdated
        self.retention = retention
    }
}
