import CouchbaseLiteSwift
import Foundation
import XCTest

/// The examples of the public pages about peer-to-peer sync and Sync Gateway, completed where the pages omit something,
/// and run between two databases of one process.
class PublicPagesTests: XCTestCase {
    class LocalWinConflictResolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            conflict.localDocument
        }
    }

    class RemoteWinConflictResolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            conflict.remoteDocument
        }
    }

    class MyClass {
        var database: Database?
        var replicator: Replicator?
        var onChange: (ReplicatorChange) -> Void = { _ in }

        func startReplicator(_ port: UInt16) {
            let url = URL(string: "ws://localhost:\(port)/other")!
            let target = URLEndpoint(url: url)
            var config = ReplicatorConfiguration(database: database!, target: target)
            config.replicatorType = .pull
            config.headers = ["CustomHeaderName": "Value"]
            config.acceptParentDomainCookie = false
            self.replicator = Replicator(config: config)
            self.replicator!.addChangeListener(withQueue: DispatchQueue(label: "app"), onChange)
            self.replicator!.start()
        }
    }

    var home: DatabasePair!
    var listener: URLEndpointListener!
    var seen: [String] = []

    override func setUpWithError() throws {
        home = try DatabasePair()
        TLSIdentity.storeDirectory = home.directory.file("identities")
    }

    override func tearDown() {
        listener?.stop()
    }

    func listen(tls: Bool) throws -> UInt16 {
        var config = URLEndpointListenerConfiguration(database: home.other)
        config.port = 0
        config.networkInterface = "127.0.0.1"
        config.disableTLS = !tls
        config.enableDeltaSync = false
        config.readOnly = false
        // A closure that modifies the test case: no `Sendable` anywhere, as in applications.
        config.authenticator = ListenerPasswordAuthenticator.init {
            (username, password) -> Bool in
            self.seen.append(username)
            if username == "valid.user", password == "valid.password.string" {
                return true
            }
            return false
        }
        listener = URLEndpointListener(config: config)
        try listener.start()
        return listener.port!
    }

    func testPassiveAndActivePeer() throws {
        let port = try listen(tls: true)
        XCTAssertNotNil(listener.tlsIdentity)
        XCTAssertEqual(listener.urls?.first?.scheme, "wss")

        let tgtUrl = URL(string: "wss://127.0.0.1:\(port)/other")!
        let targetEndpoint = URLEndpoint(url: tgtUrl)
        var thisConfig = ReplicatorConfiguration(database: home.database, target: targetEndpoint)
        thisConfig.acceptOnlySelfSignedServerCertificate = true
        let thisAuthenticator = BasicAuthenticator(
            username: "valid.user",
            password: "valid.password.string"
        )
        thisConfig.authenticator = thisAuthenticator
        thisConfig.continuous = true
        thisConfig.conflictResolver = LocalWinConflictResolver()
        thisConfig.conflictResolver = RemoteWinConflictResolver()
        let replicator = Replicator(config: thisConfig)
        try home.database.saveDocument(MutableDocument(id: "hotel_1", data: ["name": "Grand"]))

        let idle = expectation(description: "idle")
        let stopped = expectation(description: "stopped")
        var states: [Replicator.ActivityLevel] = []
        let token = replicator.addChangeListener(withQueue: DispatchQueue(label: "app")) { change in
            if states.last == change.status.activity { return }
            states.append(change.status.activity)
            if change.status.activity == .idle { idle.fulfill() }
            if change.status.activity == .stopped { stopped.fulfill() }
        }
        idle.assertForOverFulfill = false
        replicator.start()
        wait(for: [idle], timeout: 30)
        XCTAssertEqual(home.other.document(withID: "hotel_1")?.string(forKey: "name"), "Grand")
        XCTAssertEqual(listener.status.connectionCount, 1)
        XCTAssertNotNil(replicator.serverCertificate)
        replicator.stop()
        wait(for: [stopped], timeout: 30)
        replicator.removeChangeListener(withToken: token)
        XCTAssertEqual(states.first, .connecting)
        XCTAssertEqual(seen, ["valid.user"])
    }

    func testSyncGatewayPage() throws {
        let port = try listen(tls: false)
        let object = MyClass()
        object.database = home.database
        let stopped = expectation(description: "stopped")
        object.onChange = { change in
            if change.status.activity == .stopped {
                if let error = change.status.error as NSError? {
                    XCTAssertEqual(error.code, CBLError.httpAuthRequired)
                }
                stopped.fulfill()
            }
        }
        object.startReplicator(port)
        wait(for: [stopped], timeout: 30)
        let replicator = object.replicator!
        XCTAssertEqual((replicator.status.error as NSError?)?.code, CBLError.httpAuthRequired)
    }

    func testSessionAndChannels() throws {
        let target = URLEndpoint(url: URL(string: "ws://localhost:4984/mydatabase")!)
        var config = ReplicatorConfiguration(database: home.database, target: target)
        config.authenticator = SessionAuthenticator(
            sessionID: "904ac010862f37c8dd99015a33ab5a3565fd8447"
        )
        config.channels = ["news", "sports"]
        config.documentIDs = ["a"]
        config.enableAutoPurge = false
        let replicator = Replicator(config: config)
        XCTAssertEqual(replicator.config.channels, ["news", "sports"])
        XCTAssertEqual(replicator.status.activity, .stopped)
    }

    func testListenerWithCertificates() throws {
        let identity = try TLSIdentity.createIdentity(
            forServer: true,
            attributes: [certAttrCommonName: "CBL-Server"],
            expiration: nil,
            label: "server"
        )
        var config = URLEndpointListenerConfiguration(
            collections: [try home.other.defaultCollection()])
        config.tlsIdentity = identity
        config.networkInterface = "127.0.0.1"
        config.authenticator = ListenerCertificateAuthenticator(rootCerts: identity.certs)
        config.authenticator = ListenerCertificateAuthenticator.init { (certs) -> Bool in
            self.seen.append("\(certs.count)")
            var commonName: CFString?
            let status = SecCertificateCopyCommonName(certs[0], &commonName)
            if status == errSecSuccess, commonName != nil {
                return (commonName! as String) == "client"
            }
            return false
        }
        listener = URLEndpointListener(config: config)
        try listener.start()
        XCTAssertEqual(listener.tlsIdentity?.certs, identity.certs)

        let client = try self.client(pinning: identity)
        let replicator = Replicator(config: client)
        let stopped = expectation(description: "stopped")
        let token = replicator.addChangeListener(withQueue: DispatchQueue(label: "app")) { change in
            if change.status.activity == .stopped {
                XCTAssertNil(change.status.error)
                stopped.fulfill()
            }
        }
        replicator.start()
        wait(for: [stopped], timeout: 30)
        token.remove()
        XCTAssertEqual(seen, ["1"])
    }

    func client(pinning identity: TLSIdentity) throws -> ReplicatorConfiguration {
        var client = ReplicatorConfiguration(
            database: home.database,
            target: URLEndpoint(url: URL(string: "wss://127.0.0.1:\(listener.port!)/other")!)
        )
        client.pinnedServerCertificate = identity.certs[0]
        client.authenticator = ClientCertificateAuthenticator(
            identity: try TLSIdentity.createIdentity(
                forServer: false,
                attributes: [certAttrCommonName: "client"],
                expiration: nil,
                label: "client"
            )
        )
        return client
    }
}
