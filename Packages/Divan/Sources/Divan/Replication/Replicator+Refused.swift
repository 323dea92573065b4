import DivanReplicator
import DivanRevisions
import DivanStore
public import Foundation

/// A document whose current revision the peer rejected permanently.
public struct RefusedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// The rejected revision, such as `2-5b1f…`; it is the current revision of the document.
    public let revisionID: String
    /// The reason: an `NSError` of `CBLError.domain`, such as `CBLError.httpForbidden`.
    ///
    /// The peer's message is truncated to 256 bytes.
    public let error: any Error
    /// When it was rejected, by this machine's clock.
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
            let store = try storeToPush(collection)
            // A peer that was never reached has refused nothing; do not create a record of it here.
            guard let remote = try store.knownRemoteID(for: try config.remoteIdentity()) else {
                return []
            }
            let path = collection.path
            let refusals = try store.read { try $0.refusals(in: path, at: remote) }
            return refusals.sorted { $0.documentID < $1.documentID }.map { RefusedDocument($0) }
        }
    }

    /// Starts the replicator, and also pushes documents that the peer rejected earlier; ignored if it is already
    /// running.
    ///
    /// Use it if the peer's rules have changed. A document that is rejected again stays in
    /// ``refusedDocuments(collection:)``, with the new reason. An addition to the official API.
    ///
    /// - Parameters:
    ///   - reset: See ``start(reset:)``, which always pushes rejected documents again.
    ///   - retryingRefused: Whether to push rejected documents again.
    public func start(reset: Bool, retryingRefused: Bool) {
        begin(reset: reset, retryingRefused: retryingRefused)
    }
}
