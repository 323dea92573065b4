import DivanDatabase
import DivanListener
import DivanReplicator
import DivanRevisions

/// Receives what happens on the connections of a listener, for a log of who did what.
@_spi(Status) public struct ListenerObserver: Sendable {
    /// Whether events list the documents that clients read; those that they write are always listed.
    public var observesReads: Bool
    /// Called for each event of a connection, in order, on the connection's thread; it must return quickly.
    public var onEvent: @Sendable (ListenerEvent) -> Void

    /// Creates an observer.
    public init(observesReads: Bool, onEvent: @escaping @Sendable (ListenerEvent) -> Void) {
        self.observesReads = observesReads
        self.onEvent = onEvent
    }

    /// The closure of the package below.
    var receiver: @Sendable (DivanListener.ListenerEvent) -> Void {
        { event in
            guard let event = ListenerEvent(event, withReads: observesReads) else { return }
            ServiceCallback.run { onEvent(event) }
        }
    }
}

/// Something that happened on a connection of a listener.
@_spi(Status) public struct ListenerEvent: Sendable {
    /// A document that was transferred.
    public struct Document: Sendable {
        /// The full name of its collection.
        public let collection: String
        /// Its ID.
        public let id: String
        /// The transferred revision; `nil` if it is unknown.
        public let revisionID: String?
        /// Whether the revision is a deletion.
        public let isDeletion: Bool
    }

    /// What happened.
    public enum Kind: Sendable {
        /// The connection was opened.
        case connected
        /// The client wrote and read these documents.
        case documents(written: [Document], read: [Document])
        /// The connection ended; the numbers of documents written and read.
        case disconnected(writtenCount: UInt64, readCount: UInt64)
    }

    /// The number of the connection, unique during this run of the listener.
    public let connectionID: UInt64
    /// The client at the other end.
    public let client: ListenerClient
    /// What happened.
    public let kind: Kind

    /// `nil` if no document is to be listed.
    fileprivate init?(_ event: DivanListener.ListenerEvent, withReads: Bool) {
        connectionID = event.connectionID
        switch event.kind {
        case .connected: kind = .connected
        case .documents(let events):
            let done = events.filter { $0.isTransferred && (withReads || !$0.isPush) }
            guard !done.isEmpty else { return nil }
            kind = .documents(
                written: done.filter { !$0.isPush }.map { Document($0) },
                read: done.filter(\.isPush).map { Document($0) }
            )
        case .disconnected(let statistics, _):
            kind = .disconnected(
                writtenCount: statistics.receivedDocumentCount,
                readCount: statistics.sentDocumentCount
            )
        }
        client = ListenerClient(event.client)
    }
}

extension DocumentEvent {
    /// Whether the document was written or read.
    ///
    /// A client that answers a pushed revision with an error has received its body.
    fileprivate var isTransferred: Bool { error.map { isPush && $0.isFromPeer } ?? true }
}

extension ListenerEvent.Document {
    fileprivate init(_ event: DocumentEvent) {
        collection = event.collection.wireName
        id = event.documentID.text
        revisionID = event.revisionID.map { "\($0)" }
        isDeletion = event.flags.contains(.deleted)
    }
}
