import DivanReplicator
import DivanRevisions
import DivanStore
public import Foundation

/// A document whose current revision the peer refused permanently.
public struct RefusedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// The revision that was refused, such as `2-5b1f…`; it is the document's current one.
    public let revisionID: String
    /// Why: an `NSError` of `CBLError.domain`, such as `CBLError.httpForbidden`.
    ///
    /// The peer's message is cut off after 256 bytes.
    public let error: any Error
    /// When, by this machine's clock.
    public let date: Date

    init(_ refusal: Refusal) {
        id = refusal.documentID.text
        revisionID = refusal.revisionID.description
        error = NSError(from: SyncError(refusal))
        date = Date(timeIntervalSince1970: Double(refusal.time))
    }
}

extension Replicator {
    /// The documents of a collection that the peer refused, each with the reason, in the order of the
    /// UTF-8 bytes of their IDs.
    ///
    /// They are not pending: later runs do not send them. A document leaves the list when it changes, is purged, or
    /// reaches the peer after all, for example with ``start(reset:retryingRefused:)``. The list outlives the replicator
    /// and the program; all replicators with this target share it. Works before, during and after a run. At most 10,000
    /// documents per collection are kept for one target. An addition to the official API.
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

    /// Starts a run that also sends documents that the peer refused earlier; ignored while one is under way.
    ///
    /// For use when the peer's rules have changed but the documents have not. A document that is refused again stays in
    /// ``refusedDocuments(collection:)``, with the new reason. An addition to the official API.
    ///
    /// - Parameters:
    ///   - reset: As in ``start(reset:)``, which always sends refused documents again.
    ///   - retryingRefused: Whether to send refused documents again.
    public func start(reset: Bool, retryingRefused: Bool) {
        begin(reset: reset, retryingRefused: retryingRefused)
    }
}
