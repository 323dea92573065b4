/// A revision in a document's history.
public struct HistoryRevision: Equatable, Sendable {
    /// The ID of the revision.
    public let id: RevisionID
    /// The position of its parent in `RevisionTree.revisions`; `nil` for a root, and without a tree.
    public internal(set) var parent: Int?
    /// The properties of the revision.
    public internal(set) var flags: RevisionFlags
    /// The local sequence number of the revision; 0 if it is new.
    public internal(set) var sequence: UInt64
    /// Canonical JSON or JSON as received; `nil` if it is not kept.
    public internal(set) var body: [UInt8]?

    /// Whether it deletes the document.
    public var isTombstone: Bool { flags.contains(.tombstone) }

    /// Creates a revision from its row in the database.
    public init(
        only id: RevisionID,
        flags: RevisionFlags,
        sequence: UInt64,
        body: [UInt8]?
    ) {
        self.init(id: id, flags: flags, sequence: sequence, body: body)
    }

    /// Creates a revision from its parts.
    public init(
        id: RevisionID,
        parent: Int? = nil,
        flags: RevisionFlags = [],
        sequence: UInt64 = 0,
        body: [UInt8]? = nil
    ) {
        self.id = id
        self.parent = parent
        self.flags = flags
        self.sequence = sequence
        self.body = body
    }
}

/// The result of adding a revision to a history.
public enum HistoryOutcome: Equatable, Sendable {
    /// The revision was added; `isConflict` if it waits for a resolver, `isUnaware` if it replaced a revision that
    /// its sender did not know and may still receive.
    case inserted(isConflict: Bool, isUnaware: Bool = false)
    /// The revision already exists; nothing is changed.
    case alreadyThere
    /// The revision is older than the current revision, which may have won a conflict here while its sender decided
    /// the conflict differently; the revisions are unchanged.
    case overtaken
    /// The revision would cause a conflict, and conflicts are rejected; nothing is changed.
    case conflict
    /// The revision lost a conflict here and stays closed: the current revision is treated as changed, so that it
    /// is sent to the sender with the branch that it closed.
    case givenUp
}

/// The resolution of a conflict.
public enum HistoryDecision: Equatable, Sendable {
    /// The content of the local revision is kept.
    case keepLocal
    /// The remote revision becomes current.
    case keepRemote
    /// A new body becomes current.
    case merge(body: [UInt8], hasBlobs: Bool)
    /// The document is deleted.
    case delete
}

/// The answer to a peer that announces a revision.
public enum AnnouncedRevisionStatus: Equatable, Sendable {
    /// The revision exists; whether the remote is known to have it, and whether it is current.
    case known(isMarked: Bool, isCurrent: Bool)
    /// The revision is missing; these ancestors exist with their bodies.
    ///
    /// If there is a `rival`, the revision lost a conflict against it.
    case wanted(ancestors: [RevisionID], rival: RevisionID? = nil)
    /// The revision would cause a conflict, and conflicts are not tracked here.
    case conflict
}

/// The answer to a peer that proposes a revision.
public enum ProposedRevisionStatus: Equatable, Sendable {
    /// The peer can send the revision.
    case accept
    /// The revision is current here.
    case known
    /// Another revision is current, and it is not the parent of the proposed revision.
    case conflict
}
