import CouchbaseLiteSwift
import Foundation
import Testing

/// Code modelled on the public pages about peer-to-peer sync: it must compile as it is.
///
/// Only the names, labels and optionals matter; the values are made up.
@Suite struct SeedSourceTests {
    @Test(arguments: OlderProgram.all)
    func `code from the public documentation compiles and runs`(program: OlderProgram) throws {
        try program.run()
    }
}

/// A program that uses names of older versions.
///
/// They are deprecated, which a test cannot be; calling by value avoids the warning.
struct OlderProgram: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable () throws -> Void

    static var all: [OlderProgram] {
        let pages: any OlderPages = PageCode()
        return [
            OlderProgram(testDescription: "active peer") { try pages.setUpActivePeer() },
            OlderProgram(testDescription: "passive peer") { try pages.setUpPassivePeer() },
        ]
    }
}

private protocol OlderPages: Sendable {
    func setUpActivePeer() throws
    func setUpPassivePeer() throws
}

private struct PageCode: OlderPages {
    private final class LocalWins: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            conflict.localDocument
        }
    }

    private final class Merge: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            guard let local = conflict.localDocument?.toDictionary(),
                let remote = conflict.remoteDocument?.toDictionary()
            else { return nil }
            let result = local.merging(remote) { (current, new) -> Any in
                current
            }
            return MutableDocument(id: conflict.documentID, data: result)
        }
    }

    @available(*, deprecated, message: "Uses names that older programs use.")
    func setUpActivePeer() throws {
        let peers = try Peers()
        let collection = try peers.here.defaultCollection()
        let targetURL = try #require(URL(string: "wss://localhost:4984/travel"))
        let targetEndpoint = URLEndpoint(url: targetURL)
        var config = ReplicatorConfiguration(target: targetEndpoint)
        config.addCollection(collection)
        config.replicatorType = .pushAndPull
        config.continuous = true
        config.heartbeat = 150
        config.maxAttempts = 20
        config.maxAttemptWaitTime = 600
        config.acceptOnlySelfSignedServerCertificate = true
        config.authenticator = BasicAuthenticator(username: "cbl-user-01", password: "secret")
        config.authenticator = SessionAuthenticator(sessionID: "904ac010862f37c8dd99015a")
        config.headers = ["CustomHeaderName": "Value"]
        config.conflictResolver = LocalWins()
        config.conflictResolver = Merge()
        config.pushFilter = { (document, flags) in
            if document.string(forKey: "type") == "draft" {
                return false
            }
            return !flags.contains(.accessRemoved)
        }
        let replicator = Replicator.init(config: config)
        let token = replicator.addChangeListener { change in
            if change.status.activity == .stopped {
                print("Replication stopped")
            } else {
                print("Replicator is currently : \(replicator.status.activity)")
            }
            if let error = change.status.error as NSError? {
                print("Error code : \(error.code)")
            }
        }
        let documentToken = replicator.addDocumentReplicationListener { replication in
            print("Replication type : \(replication.isPush ? "push" : "pull")")
            for document in replication.documents {
                if document.error == nil, document.flags.contains(.deleted) {
                    print("Successfully replicated a deleted document : \(document.id)")
                }
            }
        }
        replicator.removeChangeListener(withToken: token)
        replicator.removeChangeListener(withToken: documentToken)
        #expect(try replicator.pendingDocumentIds(collection: collection).isEmpty)
        #expect(replicator.status.activity == .stopped)
    }

    @available(*, deprecated, message: "Uses names that older programs use.")
    func setUpPassivePeer() throws {
        let peers = try Peers()
        var config = URLEndpointListenerConfiguration(database: peers.there)
        config.port = 0
        config.networkInterface = "127.0.0.1"
        config.enableDeltaSync = false
        config.disableTLS = false
        config.authenticator = ListenerPasswordAuthenticator.init {
            (username, password) -> Bool in
            username == "valid.user" && password == "valid.password.string"
        }
        let listener = URLEndpointListener(config: config)
        try listener.start()
        #expect(listener.urls?.isEmpty == false)
        listener.stop()
    }
}
