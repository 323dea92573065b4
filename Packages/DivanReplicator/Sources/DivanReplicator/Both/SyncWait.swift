public import DivanLog
public import DivanRevisions
public import DivanStore

/// Something that a replication is waiting for, and for how long.
///
/// Its description is readable text: `reply to rev of soup, 12 s`.
public struct SyncWait: Hashable, Sendable {
    /// What the replication is waiting for.
    public enum Subject: Hashable, Sendable {
        /// The peer's answer to a request, named as on the wire.
        case reply(to: String, DocumentID?)
        /// The content of a requested blob; the time since the last data counts.
        case blob(BlobDigest, DocumentID)
        /// Requested revisions: one of them, and how many more.
        case revisions(DocumentID, moreCount: Int)
        /// The application's conflict resolver: one document, and how many more.
        case resolver(DocumentID, moreCount: Int)
        /// The peer, to read sent data.
        case room
        /// A connection being established.
        case connection
        /// The time of the next attempt to connect.
        case attempt
        /// The application's credentials.
        case credentials
    }

    /// What is being waited for.
    public let subject: Subject
    /// The collection that it concerns, if any.
    public let collection: CollectionPath?
    /// The duration of the wait.
    public let duration: Duration

    /// Creates a wait.
    public init(_ subject: Subject, in collection: CollectionPath? = nil, for duration: Duration) {
        self.subject = subject
        self.collection = collection
        self.duration = max(.zero, duration)
    }

    /// The document that it concerns, if any.
    public var documentID: DocumentID? {
        switch subject {
        case .reply(_, let documentID): documentID
        case .blob(_, let documentID), .revisions(let documentID, _), .resolver(let documentID, _):
            documentID
        case .room, .connection, .attempt, .credentials: nil
        }
    }
}

extension SyncWait.Subject: CustomStringConvertible {
    /// A short description of what is being waited for.
    public var description: String {
        switch self {
        case .reply(let profile, let documentID):
            "reply to \(profile)" + (documentID.map { " of \($0)" } ?? "")
        case .blob(let digest, let documentID): "blob \(digest) of \(documentID)"
        case .revisions(let documentID, let count):
            "revision of \(documentID)" + Self.more(count)
        case .resolver(let documentID, let count):
            "conflict resolver for \(documentID)" + Self.more(count)
        case .room: "the peer to read sent data"
        case .connection: "the connection"
        case .attempt: "the next attempt to connect"
        case .credentials: "credentials from the application"
        }
    }

    private static func more(_ count: Int) -> String { count > 0 ? " and \(count) more" : "" }
}

extension SyncWait: CustomStringConvertible {
    /// What is being waited for, and for how many seconds.
    public var description: String { "\(subject), \(duration.components.seconds) s" }
}

extension SyncWait: LogRepresentable {
    /// The description, in which the document is user data.
    public var logMessage: LogMessage {
        documentID == nil ? "\(description)" : "\(user: subject), \(duration.components.seconds) s"
    }
}
