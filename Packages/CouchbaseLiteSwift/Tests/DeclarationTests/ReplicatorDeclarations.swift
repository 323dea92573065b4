import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// `api-map.md` §10, §11 and §15.
@Suite struct ReplicatorDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private typealias Change = @Sendable (ReplicatorChange) -> Void
    private typealias Documents = @Sendable (DocumentReplication) -> Void

    @Test func `Replicator has its official members`() {
        let _: (ReplicatorConfiguration) -> Replicator = Replicator.init(config:)
        let _: KeyPath<Replicator, ReplicatorConfiguration> = \.config
        let _: KeyPath<Replicator, Replicator.Status> = \.status
        let _: KeyPath<Replicator, SecCertificate?> = \.serverCertificate
        let _: KeyPath<Replicator, String?> = \.correlationID
        let _: (Replicator) -> () -> Void = Replicator.start
        let _: (Replicator) -> (Bool) -> Void = Replicator.start(reset:)
        let _: (Replicator) -> () -> Void = Replicator.stop
        let _: (Replicator) -> (@escaping Change) -> ListenerToken =
            Replicator.addChangeListener(_:)
        let _: (Replicator) -> (DispatchQueue?, @escaping Change) -> ListenerToken =
            Replicator.addChangeListener(withQueue:_:)
        let _: (Replicator) -> (@escaping Documents) -> ListenerToken =
            Replicator.addDocumentReplicationListener(_:)
        let _: (Replicator) -> (DispatchQueue?, @escaping Documents) -> ListenerToken =
            Replicator.addDocumentReplicationListener(withQueue:_:)
        let _: (Replicator) -> (Collection) throws -> Set<String> =
            Replicator.pendingDocumentIds(collection:)
        let _: (Replicator) -> (String, Collection) throws -> Bool =
            Replicator.isDocumentPending(_:collection:)
        let _: (ListenerToken) -> () -> Void = ListenerToken.remove
    }

    @Test func `status and events have their official members`() {
        let levels: [Replicator.ActivityLevel] = [.stopped, .offline, .connecting, .idle, .busy]
        #expect(levels.map { $0.rawValue as UInt8 } == [0, 1, 2, 3, 4])
        let _: KeyPath<Replicator.Progress, UInt64> = \.completed
        let _: KeyPath<Replicator.Progress, UInt64> = \.total
        let _: KeyPath<Replicator.Status, Replicator.ActivityLevel> = \.activity
        let _: KeyPath<Replicator.Status, Replicator.Progress> = \.progress
        let _: KeyPath<Replicator.Status, Error?> = \.error
        let _: KeyPath<ReplicatorChange, Replicator> = \.replicator
        let _: KeyPath<ReplicatorChange, Replicator.Status> = \.status
        let _: KeyPath<DocumentReplication, Replicator> = \.replicator
        let _: KeyPath<DocumentReplication, Bool> = \.isPush
        let _: KeyPath<DocumentReplication, [ReplicatedDocument]> = \.documents
        let _: KeyPath<ReplicatedDocument, String> = \.id
        let _: KeyPath<ReplicatedDocument, DocumentFlags> = \.flags
        let _: KeyPath<ReplicatedDocument, Error?> = \.error
        let _: KeyPath<ReplicatedDocument, String> = \.scope
        let _: KeyPath<ReplicatedDocument, String> = \.collection
    }

    @Test func `conflicts have their official members`() {
        let _: KeyPath<Conflict, String> = \.documentID
        let _: KeyPath<Conflict, Document?> = \.localDocument
        let _: KeyPath<Conflict, Document?> = \.remoteDocument
        let _: ConflictResolverProtocol = ConflictResolver.default
        let _: (ConflictResolverProtocol) -> (Conflict) -> Document? = { $0.resolve(conflict:) }
        let _: AnyObject.Type = ConflictResolver.self
    }

    @Test func `tokens can be ignored, and removing one twice is harmless`() throws {
        let (here, there) = (try place.open("here"), try place.open("there"))
        let collection = try here.defaultCollection()
        let replicator = Replicator(
            config: ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: collection)],
                target: DatabaseEndpoint(database: there)
            )
        )
        replicator.addChangeListener { change in _ = change.status.error as NSError? }
        replicator.addChangeListener(withQueue: nil) { _ in }
        replicator.addDocumentReplicationListener { replication in _ = replication.isPush }
        let token = replicator.addDocumentReplicationListener(withQueue: nil) { _ in }
        token.remove()
        token.remove()
        #expect(replicator.status.activity == .stopped && replicator.status.error == nil)
        #expect(replicator.status.progress.completed == 0 && replicator.status.progress.total == 0)
        #expect(replicator.serverCertificate == nil && replicator.correlationID == nil)
        #expect(try replicator.pendingDocumentIds(collection: collection).isEmpty)
        let foreign = try there.defaultCollection()
        #expect(
            code { _ = try replicator.pendingDocumentIds(collection: foreign) }
                == CBLError.notOpen
        )
        replicator.stop()
        let older: Older = ReplicatorCode(replicator: replicator, token: token)
        try older.run()
    }
}

private struct ReplicatorCode: Older {
    let replicator: Replicator
    let token: ListenerToken

    @available(*, deprecated)
    func run() throws {
        let _: (Replicator) -> () throws -> Set<String> = Replicator.pendingDocumentIds
        let _: (Replicator) -> (String) throws -> Bool = Replicator.isDocumentPending(_:)
        let _: (Replicator) -> () -> Void = Replicator.resetCheckpoint
        let _: (Replicator) -> (ListenerToken) -> Void =
            Replicator.removeChangeListener(withToken:)
        replicator.removeChangeListener(withToken: token)
        replicator.resetCheckpoint()
        #expect(try replicator.pendingDocumentIds() == [])
        #expect(try !replicator.isDocumentPending("d"))
    }
}
