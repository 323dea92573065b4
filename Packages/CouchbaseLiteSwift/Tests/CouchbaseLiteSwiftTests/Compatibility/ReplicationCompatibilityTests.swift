import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Replication code as in applications, with only the official module imported.
///
/// A peer and a listener actually sync, over a local socket. `api-map.md` §20.
@Suite(.timeLimit(.minutes(5))) struct ReplicationCompatibilityTests {
    private final class LocalWinConflictResolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            conflict.localDocument
        }
    }

    private final class MergeConflictResolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
                return nil
            }
            let localDict = local.toDictionary()
            let remoteDict = remote.toDictionary()
            let result = localDict.merging(remoteDict) { (current, new) -> Any in
                current
            }
            return MutableDocument(id: conflict.documentID, data: result)
        }
    }

    let directory: TemporaryDirectory
    let here: Database
    let there: Database
    private let queue = DispatchQueue(label: "app")

    init() throws {
        directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        here = try Database(name: "here", config: config)
        there = try Database(name: "there", config: config)
    }

    /// Runs a replicator until it stops and returns its error.
    private func run(_ replicator: Replicator) async -> NSError? {
        await withCheckedContinuation { (continuation: CheckedContinuation<NSError?, Never>) in
            replicator.addChangeListener(withQueue: queue) { change in
                if change.status.activity == .stopped {
                    continuation.resume(returning: change.status.error as NSError?)
                }
            }
            replicator.start()
        }
    }

    private func listener() throws -> URLEndpointListener {
        var config = URLEndpointListenerConfiguration(
            collections: [try there.defaultCollection()]
        )
        config.port = 0
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        config.enableDeltaSync = true
        config.authenticator = ListenerPasswordAuthenticator { (username, password) -> Bool in
            username == "valid.user" && password == "valid.password.string"
        }
        let listener = URLEndpointListener(config: config)
        try listener.start()
        return listener
    }

    @Test func `an active peer syncs with a listener`() async throws {
        let listener = try listener()
        defer { listener.stop() }
        let collection = try here.defaultCollection()
        let other = try there.defaultCollection()
        try collection.save(document: MutableDocument(id: "mine", data: ["type": "note"]))
        try collection.save(document: MutableDocument(id: "draft", data: ["type": "draft"]))
        let blob = Blob(contentType: "text/plain", data: Data(repeating: 65, count: 50_000))
        try other.save(document: MutableDocument(id: "theirs").setBlob(blob, forKey: "blob"))

        let url = try #require(URL(string: "ws://127.0.0.1:\(listener.port ?? 0)/there"))
        var collectionConfig = CollectionConfiguration(collection: collection)
        collectionConfig.conflictResolver = MergeConflictResolver()
        collectionConfig.pushFilter = { (document, flags) in
            if document.string(forKey: "type") == "draft" {
                return false
            }
            return !flags.contains(.accessRemoved)
        }
        var config = ReplicatorConfiguration(
            collections: [collectionConfig],
            target: URLEndpoint(url: url)
        )
        config.replicatorType = .pushAndPull
        config.continuous = false
        config.authenticator = BasicAuthenticator(
            username: "valid.user",
            password: "valid.password.string"
        )
        let replicator = Replicator.init(config: config)
        #expect(try replicator.pendingDocumentIds(collection: collection) == ["mine"])

        #expect(await run(replicator) == nil)
        #expect(try other.document(id: "mine")?.string(forKey: "type") == "note")
        #expect(try other.document(id: "draft") == nil)
        #expect(try collection.document(id: "theirs")?.blob(forKey: "blob") == blob)
        #expect(try !replicator.isDocumentPending("mine", collection: collection))
        #expect(replicator.status.activity == .stopped)
    }

    @Test func `wrong credentials stop the replicator with 10401`() async throws {
        let listener = try listener()
        defer { listener.stop() }
        let url = try #require(URL(string: "ws://127.0.0.1:\(listener.port ?? 0)/there"))
        let collections = CollectionConfiguration.fromCollections([try here.defaultCollection()])
        var config = ReplicatorConfiguration(
            collections: collections,
            target: URLEndpoint(url: url)
        )
        config.authenticator = BasicAuthenticator(username: "nobody", password: "nothing")
        let error = await run(Replicator(config: config))
        #expect(error?.domain == CBLError.domain)
        #expect(error?.code == CBLError.httpAuthRequired)
    }

    @available(*, deprecated)
    @Test func `replicator configurations of every API version compile`() throws {
        let url = try #require(URL(string: "wss://localhost:4984/travel"))
        let target = URLEndpoint(url: url)
        var config = ReplicatorConfiguration(target: target)
        config.addCollection(try here.defaultCollection())
        config.continuous = true
        config.heartbeat = 150
        config.maxAttempts = 20
        config.maxAttemptWaitTime = 600
        config.acceptOnlySelfSignedServerCertificate = true
        config.headers = ["CustomHeaderName": "Value"]
        #expect(config.collections.count == 1)

        var old = ReplicatorConfiguration(database: here, target: target)
        old.authenticator = SessionAuthenticator(sessionID: "904ac010862f37c8dd99015a33ab5a3565")
        old.channels = ["news"]
        old.conflictResolver = LocalWinConflictResolver()
        old.pullFilter = { (document, flags) in
            if flags.contains(.deleted) {
                return false
            }
            return true
        }
        let replicator = Replicator(config: old)
        let token = replicator.addDocumentReplicationListener { (replication) in
            for document in replication.documents where document.error == nil {
                print(replication.isPush ? "push" : "pull", document.id, document.flags)
            }
        }
        replicator.removeChangeListener(withToken: token)
        replicator.resetCheckpoint()
        #expect(replicator.config.database === here)
        #expect(try replicator.pendingDocumentIds().isEmpty)
    }
}
