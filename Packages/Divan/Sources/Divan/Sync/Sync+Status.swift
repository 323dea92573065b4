@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
public import Foundation

extension Sync {
    /// What a sync is doing.
    public enum Activity: String, Sendable {
        /// Not started, finished, or stopped by an error.
        case stopped
        /// Waiting to connect again after a temporary error.
        case offline
        /// Connecting.
        case connecting
        /// Connected, and exchanging documents.
        case syncing
        /// Connected, and in sync with the peer.
        case idle
    }

    /// The activity, progress and error of a sync at one moment.
    public struct Status: Equatable, Sendable {
        /// What the sync is doing.
        public let activity: Activity
        /// Why it is `stopped` or `offline`; `nil` for a normal end.
        public let error: DivanError?
        /// Units of work that are done; units are not documents.
        public let completedUnitCount: UInt64
        /// Units of work known so far; the number grows during a run.
        public let totalUnitCount: UInt64
        /// When an `offline` sync connects again; a change of the network may make it earlier.
        public let retryDate: Date?
        /// What the sync has been waiting for longer than ten seconds, such as `reply to rev of soup, 12 s`.
        public let stall: String?
        /// Whether a token is being fetched, or could not be.
        public let needsCredentials: Bool

        /// Whether both sides are in sync, and stay connected.
        public var isIdle: Bool { activity == .idle }

        /// The part of the known work that is done, 0 to 1.
        ///
        /// Without any known work, it is 1 for a sync that is idle or has ended normally, and 0 otherwise.
        public var fractionCompleted: Double {
            guard totalUnitCount > 0 else { return isIdle || hasEnded && error == nil ? 1 : 0 }
            return min(1, Double(completedUnitCount) / Double(totalUnitCount))
        }

        /// Whether a run has ended.
        private let hasEnded: Bool

        static let initial = Status(activity: .stopped, hasEnded: false)

        init(activity: Activity, error: DivanError? = nil, hasEnded: Bool? = nil) {
            self.activity = activity
            self.hasEnded = hasEnded ?? (activity == .stopped)
            self.error = error
            completedUnitCount = 0
            totalUnitCount = 0
            retryDate = nil
            stall = nil
            needsCredentials = false
        }

        init(_ status: Replicator.Status, place: String) {
            activity = Activity(status.activity)
            hasEnded = activity == .stopped
            error = status.error.map { DivanError($0, place: place) }
            completedUnitCount = status.progress.completed
            totalUnitCount = status.progress.total
            retryDate = status.retryDate
            stall = status.stall
            needsCredentials = status.needsCredentials
        }
    }

    /// What one run has done.
    public struct Summary: Equatable, Sendable {
        /// Documents sent, including deletions.
        public internal(set) var pushedCount: Int
        /// Documents received, including deletions.
        public internal(set) var pulledCount: Int
        /// Bytes sent.
        public internal(set) var sentByteCount: Int
        /// Bytes received.
        public internal(set) var receivedByteCount: Int
        /// The documents that failed, at most the first 1,000.
        public internal(set) var failures: [ReplicatedDocument]
        /// How many documents failed.
        public internal(set) var failureCount: Int
    }

    /// The traffic of a sync since it was created.
    public struct Statistics: Sendable, Equatable {
        /// Documents sent, including deletions.
        public internal(set) var pushedCount = 0
        /// Documents received, including deletions.
        public internal(set) var pulledCount = 0
        /// Bytes sent, including TLS and handshakes.
        public internal(set) var sentByteCount = 0
        /// Bytes received, including TLS and handshakes.
        public internal(set) var receivedByteCount = 0
        /// Documents that the current connection still has to transfer, as far as known.
        public internal(set) var remainingCount = 0
        /// Documents that were sent or received as differences only.
        public internal(set) var deltaCount = 0
        /// The compression of the latest connection: `deflate`, `lz4`, `mixed`, `none`, or the name of a codec.
        public internal(set) var compression: String?
    }

    /// A document that was transferred, or failed.
    public struct ReplicatedDocument: Equatable, Sendable {
        /// The document's ID.
        public let id: String
        /// The name of its collection, such as `notes` or `shop.notes`.
        public let collection: String
        /// Whether it was sent; otherwise it was received.
        public let isPush: Bool
        /// Whether the document was deleted.
        public let isDeleted: Bool
        /// Whether the document was removed because the user can no longer read it.
        public let isAccessRemoved: Bool
        /// Why it was not transferred; `nil` if it was.
        public let error: DivanError?

        init(_ document: CouchbaseLiteSwift.ReplicatedDocument, isPush: Bool) {
            id = document.id
            let path = CollectionPath(scope: document.scope, name: document.collection)
            collection = path?.wireName ?? document.collection
            self.isPush = isPush
            isDeleted = document.flags.contains(.deleted)
            isAccessRemoved = document.flags.contains(.accessRemoved)
            let (id, name) = (id, collection)
            error = document.error.map {
                DivanError($0, of: id, in: name, isPush: isPush)
            }
        }
    }
}

extension Sync.Activity {
    init(_ level: Replicator.ActivityLevel) {
        self =
            switch level {
            case .stopped: .stopped
            case .offline: .offline
            case .connecting: .connecting
            case .idle: .idle
            case .busy: .syncing
            }
    }
}

extension Sync.Status: CustomStringConvertible {
    /// The activity, with the progress or the error.
    public var description: String {
        if let error { return "\(activity): \(error)" }
        guard activity == .syncing else { return activity.rawValue }
        return "\(activity), \(completedUnitCount) of \(totalUnitCount)"
    }
}

extension Sync.Statistics {
    /// Adds the totals.
    mutating func add(_ other: Replicator.Statistics) {
        pushedCount += Int(clamping: other.pushedDocumentCount)
        pulledCount += Int(clamping: other.pulledDocumentCount)
        sentByteCount += Int(clamping: other.sentByteCount)
        receivedByteCount += Int(clamping: other.receivedByteCount)
        deltaCount += Int(clamping: other.pulledDeltas.count)
        deltaCount += Int(clamping: other.pushedDeltas.count)
    }
}
