/// One state of a document, as its history keeps it.
public struct HistoryRevision: Equatable, Sendable {
    /// Its identity.
    public let id: RevisionID
    /// The position of its parent in `RevisionTree.revisions`; `nil` for a root, and without a tree.
    public internal(set) var parent: Int?
    /// What is known about it.
    public internal(set) var flags: RevisionFlags
    /// The local change number under which it was stored, or 0 when it is new.
    public internal(set) var sequence: UInt64
    /// Canonical JSON or JSON as received; `nil` when it is not kept.
    public internal(set) var body: [UInt8]?

    /// Whether it deletes the document.
    public var isTombstone: Bool { flags.contains(.tombstone) }

    /// Creates a revision from its row.
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

/// The outcome for a revision that was offered to a history.
public enum HistoryOutcome: Equatable, Sendable {
    /// It was inserted; `isConflict` if it waits for a resolver, `isUnaware` if it replaced a revision
    /// that its sender did not know, and may come across there.
    case inserted(isConflict: Bool, isUnaware: Bool = false)
    /// It was there before; the revisions are unchanged.
    case alreadyThere
    /// It is older than the current revision, which may have won over it here while its sender let it win
    /// over the current one; the revisions are unchanged.
    case overtaken
    /// It would make a conflict, and those are refused; nothing is changed.
    case conflict
    /// It was given up here, and remains so: the current revision counts as changed, so that the
    /// sender is told of it, and of what it closed.
    case givenUp
}

/// How a conflict ends.
public enum HistoryDecision: Equatable, Sendable {
    /// The local revision's content stays.
    case keepLocal
    /// The remote revision becomes current.
    case keepRemote
    /// A new body becomes current.
    case merge(body: [UInt8], hasBlobs: Bool)
    /// The document is deleted.
    case delete
}

/// The answer for a peer that announces a revision.
public enum AnnouncedStanding: Equatable, Sendable {
    /// It is here; whether the remote is known to have it, and whether it is current.
    case known(isMarked: Bool, isCurrent: Bool)
    /// It is not here; these are, with their bodies. If there is a `rival`, it was given up for that one.
    case wanted(ancestors: [RevisionID], rival: RevisionID? = nil)
    /// It would make a conflict, and those are not tracked here.
    case conflict
}

/// The answer for a peer that proposes a revision.
public enum ProposedStanding: Equatable, Sendable {
    /// It may be sent.
    case accept
    /// It is current here.
    case known
    /// Another one is current, and not the one that it follows.
    case conflict
}
