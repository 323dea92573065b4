public import DivanCrypto

/// All that a database knows about the revisions of one document: the seam between the engine, which
/// stores and syncs, and a scheme, which decides which revision follows which.
///
/// The engine asks how revisions relate to each other, what to send as a revision's past, and what is
/// left after a merge; it does not know whether the answer comes from a tree (`RevisionTree`) or from
/// version vectors (`VectorHistory`). A value without storage: loaded, changed and written back.
public protocol RevisionHistory: Sendable {
    /// The revision that readers of the document see; `nil` only in an empty history.
    var current: HistoryRevision? { get }
    /// Every revision whose body is kept.
    var revisionsWithBody: [HistoryRevision] { get }
    /// Whether the document's row says everything: there is one revision, and no remote is known to have it.
    var isSingle: Bool { get }
    /// Whether the document has revisions that the current one does not follow.
    var isBranched: Bool { get }
    /// Whether a revision waits for a resolver.
    var isConflicted: Bool { get }
    /// The revisions for a resolver.
    var conflict: (local: HistoryRevision, remote: HistoryRevision)? { get }

    /// The revision with this ID, if more than its ID is known.
    subscript(id: RevisionID) -> HistoryRevision? { get }
    /// The revision with this ID and those before it, newest first, as far as their names are known.
    func names(behind id: RevisionID) -> [RevisionID]
    /// The revision and its known past, as text: IDs separated by commas, or a vector.
    func text(of id: RevisionID) -> String
    /// A revision that both follow, if its body may be kept: the base of a merge.
    func commonAncestor(of first: RevisionID, and second: RevisionID) -> HistoryRevision?
    /// Whether `ancestor` comes before `id`.
    func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool
    /// What to tell a peer that still holds a revision that was given up here: the tombstone that
    /// closed it first; empty if there is none.
    func closedBranch(from id: RevisionID) -> [RevisionID]
    /// The latest revision that a remote is known to have.
    func latest(at remote: RemoteID) -> RevisionID?
    /// The answer to an announced revision; `remote` is `nil` if conflicts are not tracked.
    func standing(
        ofAnnounced id: RevisionID,
        at remote: RemoteID?,
        keepsOrder: Bool
    ) -> AnnouncedStanding
    /// What to send as the past of a revision: at most `limit` − 1 names, down to one that the peer is
    /// `known` to have.
    ///
    /// A peer that `takesTreeIDs` remembers all tree IDs behind a vector, and decides by the vectors.
    func ancestry(
        of id: RevisionID,
        limit: Int,
        until known: [RevisionID],
        takesTreeIDs: Bool,
        random: any RandomSource
    ) -> RevisionAncestry

    /// Adds a revision made on this peer.
    mutating func save(
        _ edit: LocalEdit,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome
    /// Adds a revision that a peer sent.
    mutating func insert(
        _ received: ReceivedRevision,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome
    /// Notes that a remote has a revision; one that is older than what it is known to have is ignored,
    /// unless the remote `goesBack` to it.
    mutating func markLatest(_ id: RevisionID, at remote: RemoteID, goesBack: Bool)
    /// Ends the conflict between the current revision and one that waits; returns the outcome.
    mutating func end(
        _ conflict: (local: RevisionID, remote: RevisionID),
        as decision: HistoryDecision,
        closesRemote: Bool,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> RevisionID
    /// Makes the current revision follow one that lost against it; `nil` if that adds nothing new.
    ///
    /// `blinding` is that of `RevisionID.digesting`.
    mutating func graftCurrent(
        onto loser: RevisionID,
        blinding: [UInt8]
    ) throws(RevisionError) -> RevisionID?
    /// Replaces the current revision with one that was given up here, because a remote
    /// insists on it.
    mutating func takeBack(
        _ id: RevisionID,
        from remote: RemoteID
    ) throws(RevisionError) -> Bool
    /// Gives all new revisions their sequence.
    mutating func assignSequence(_ sequence: UInt64)
    /// Replaces the kept bodies of all revisions except the current one.
    mutating func transformOldBodies<E: Error>(
        _ transform: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E)

    /// The history as bytes, without the current revision's ID, sequence and body.
    func encoded() -> [UInt8]
}

extension RevisionHistory {
    /// What to send to a peer of any kind.
    public func ancestry(
        of id: RevisionID,
        limit: Int,
        until known: [RevisionID],
        random: any RandomSource
    ) -> RevisionAncestry {
        ancestry(of: id, limit: limit, until: known, takesTreeIDs: false, random: random)
    }
}

/// A revision made on this peer.
public struct LocalEdit: Sendable {
    /// The revision that it follows, which is the current one; `nil` for the first.
    public var parent: RevisionID?
    /// Whether it deletes the document.
    public var isTombstone: Bool
    /// Whether the body names blobs.
    public var hasBlobs: Bool
    /// Canonical JSON; `{}` for a tombstone.
    public var body: [UInt8]
    /// Which old bodies stay.
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

/// A revision that a peer sent; the members are those of `RevisionTree.insertRemote`.
public struct ReceivedRevision: Sendable {
    /// Its ID.
    public var id: RevisionID
    /// Its past.
    public var ancestry: RevisionAncestry
    /// Any of `tombstone` and `hasBlobs`.
    public var flags: RevisionFlags
    /// JSON as received.
    public var body: [UInt8]
    /// The remote that sent it; `nil` on a peer that does not track its other side.
    public var remote: RemoteID?
    /// Whether only a continuation of a revision here is accepted.
    public var refusesConflicts: Bool
    /// What the sender closed for this revision, with its past.
    public var closing: [RevisionID]
    /// Whether the sender applies the order of revisions that were given up for each other, and names the
    /// past of every revision, as Divan peers do.
    public var keepsOrder: Bool
    /// Whether the remote is known to have moved on since it sent this.
    public var isOutdated: Bool
    /// Which old bodies stay.
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
