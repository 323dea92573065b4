import DivanDatabase
import DivanReplicator
import DivanRevisions
public import Foundation

/// A document whose revision the peer rejected permanently, or whose revision at the peer could not be pulled.
public struct RefusedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// The revision, such as `2-5b1f…`: the current one of a rejected document, or the one at the peer.
    public let revisionID: String
    /// The reason: an `NSError` of `CBLError.domain`, such as `CBLError.httpForbidden`.
    ///
    /// The peer's message is truncated to 256 bytes.
    public let error: any Error
    /// When it was rejected or could not be pulled, by this machine's clock.
    public let date: Date

    init(_ refusal: Refusal) {
        id = refusal.documentID.text
        revisionID = refusal.revisionID.description
        error = NSError(from: SyncError(refusal))
        date = Date(timeIntervalSince1970: Double(refusal.time))
    }
}

extension Replicator {
    /// Returns the documents of a collection that the peer rejected, with the reasons, in the order of the UTF-8 bytes
    /// of their IDs.
    ///
    /// They are not pending: later runs do not push them. A document is removed from the list when it changes, is
    /// purged, or is accepted by the peer, for example after ``start(reset:retryingRefused:)``. The list is stored in
    /// the database, and all replicators with this target share it. Works before, during and after a run. At most
    /// 10,000 documents per collection and target are stored. An addition to the official API.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    public func refusedDocuments(collection: Collection) throws -> [RefusedDocument] {
        try translatingErrors {
            let path = collection.path
            return try recorded(in: storeToPush(collection)) { try $0.refusals(in: path, at: $1) }
        }
    }

    /// Returns the documents of a collection that could not be pulled, with the reasons, in the order of the UTF-8 bytes
    /// of their IDs.
    ///
    /// The peer could not send them, for example because of a damaged blob, or this side could not store them. A
    /// document is removed from the list when it is pulled, or no longer exists on the peer. Each run asks a Divan peer
    /// for up to 100 of them again; with other peers, use ``start(reset:retryingRefused:)``. The list is stored like
    /// ``refusedDocuments(collection:)``. An addition to the official API.
    ///
    /// - Throws: `notOpen` (6) if the collection is not in the configuration, a configured collection was deleted, or
    ///   the database is closed.
    public func failedPulls(collection: Collection) throws -> [RefusedDocument] {
        try translatingErrors {
            let path = collection.path
            return try recorded(in: openStore(of: collection)) {
                try $0.failedPulls(in: path, from: $1)
            }
        }
    }

    private func recorded(
        in store: Store,
        _ list: (StoreReader, RemoteID) throws -> [Refusal]
    ) throws -> [RefusedDocument] {
        // A peer that was never reached has refused nothing; do not create a record of it here.
        guard let remote = try store.knownRemoteID(for: try config.remoteIdentity()) else {
            return []
        }
        let found = try store.read { try list($0, remote) }
        return found.sorted { $0.documentID < $1.documentID }.map { RefusedDocument($0) }
    }

    /// Starts the replicator, and also repeats what was refused earlier; ignored if it is already running.
    ///
    /// Pushes documents that the peer rejected, and pulls those that could not be pulled. The peer lists its changes
    /// since the first of the latter again. Use it if the peer's rules have changed. A document that is rejected again stays in
    /// ``refusedDocuments(collection:)``, with the new reason. An addition to the official API.
    ///
    /// - Parameters:
    ///   - reset: See ``start(reset:)``, which always pushes rejected documents again.
    ///   - retryingRefused: Whether to push rejected documents again, and to pull those that could not be pulled.
    public func start(reset: Bool, retryingRefused: Bool) {
        begin(reset: reset, retryingRefused: retryingRefused)
    }
}
