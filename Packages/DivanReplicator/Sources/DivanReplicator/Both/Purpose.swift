import DivanRevisions
import DivanStore

/// Why a request was sent.
enum Purpose {
    // Of an active peer.
    case collections
    case checkpoint(collection: Int, isForSave: Bool)
    case saveCheckpoint(collection: Int)
    case subscription(collection: Int)
    case proposals(collection: Int, [Proposal])
    // Of a passive peer.
    case announcement(collection: Int, [FeedChange])
    // Of either.
    case revision(collection: Int, OutgoingRevision)
    case blob(BlobTicket)

    /// The number of the collection that it concerns.
    var collection: Int? {
        switch self {
        case .collections, .blob: nil
        case .checkpoint(let number, _), .saveCheckpoint(let number), .subscription(let number),
            .proposals(let number, _), .announcement(let number, _), .revision(let number, _):
            number
        }
    }

    /// What is waited for until the answer comes.
    var subject: SyncWait.Subject {
        switch self {
        case .collections: .reply(to: "getCollections", nil)
        case .checkpoint: .reply(to: "getCheckpoint", nil)
        case .saveCheckpoint: .reply(to: "setCheckpoint", nil)
        case .subscription: .reply(to: "subChanges", nil)
        case .proposals(_, let proposals):
            .reply(to: "proposeChanges", proposals.first?.change.documentID)
        case .announcement(_, let changes): .reply(to: "changes", changes.first?.documentID)
        case .revision(_, let revision): .reply(to: "rev", revision.change.documentID)
        case .blob(let ticket): .blob(ticket.digest, ticket.documentID)
        }
    }

    /// Whether the request named its collection, outside legacy mode.
    var namesCollection: Bool {
        if case .collections = self { false } else { true }
    }
}

/// Identifies a requested blob when its answer arrives.
struct BlobTicket {
    let digest: BlobDigest
    /// The document that the request named.
    let documentID: DocumentID
}
