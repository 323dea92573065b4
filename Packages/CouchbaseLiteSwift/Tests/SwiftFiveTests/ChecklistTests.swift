import CouchbaseLiteSwift
import Foundation
import XCTest

/// The source checklist, `api-map.md` §20, in Swift 5 mode and with XCTest, as in applications: that it compiles
/// unchanged is half of each test.
///
/// Items 1 to 10 in order. It uses deprecated declarations, which causes warnings.
class ChecklistTests: XCTestCase {
    class MyResolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            let localDict = conflict.localDocument!.toDictionary()
            let remoteDict = conflict.remoteDocument!.toDictionary()
            let result = localDict.merging(remoteDict) { (current, new) -> Any in
                current  // return current value in case of duplicate keys
            }
            return MutableDocument(id: conflict.documentID, data: result)
        }
    }

    var home: DatabasePair!
    var replicator: Replicator!
    var collection: Collection!
    let queue = DispatchQueue(label: "app")

    override func setUpWithError() throws {
        home = try DatabasePair()
        collection = try home.database.defaultCollection()
    }

    /// Runs the replicator until it stops.
    func replicate() {
        let stopped = expectation(description: "stopped")
        let token = replicator.addChangeListener(withQueue: queue) { change in
            if change.status.activity == .stopped {
                XCTAssertNil(change.status.error)
                stopped.fulfill()
            }
        }
        replicator.start()
        wait(for: [stopped], timeout: 30)
        token.remove()
    }

    func testItem1TargetThenProperties() throws {
        var config = ReplicatorConfiguration(target: DatabaseEndpoint(database: home.other))
        config.replicatorType = .pushAndPull
        config.continuous = false
        config.acceptOnlySelfSignedServerCertificate = true
        config.authenticator = BasicAuthenticator(username: "cbl-user-01", password: "secret")
        config.heartbeat = 150
        config.maxAttempts = 20
        config.maxAttemptWaitTime = 600
        config.addCollection(collection)
        self.replicator = Replicator.init(config: config)
        let token = self.replicator.addChangeListener { change in
            if change.status.activity == .stopped {
                print("Replication stopped")
            } else {
                print("Replicator is currently : \(self.replicator.status.activity)")
            }
        }
        try collection.save(document: MutableDocument(id: "d"))
        replicate()
        self.replicator.removeChangeListener(withToken: token)
        XCTAssertEqual(try home.other.defaultCollection().count, 1)
    }

    func testItem2DatabaseAndTarget() throws {
        let target = DatabaseEndpoint(database: home.other)
        var thisConfig = ReplicatorConfiguration(database: home.database, target: target)
        thisConfig.replicatorType = .pull
        self.replicator = Replicator(config: thisConfig)
        try home.other.defaultCollection().save(document: MutableDocument(id: "there"))
        replicate()
        XCTAssertNotNil(try collection.document(id: "there"))
    }

    func testItem3PendingDocuments() throws {
        var config = ReplicatorConfiguration(target: DatabaseEndpoint(database: home.other))
        config.replicatorType = .push
        config.addCollection(collection)
        self.replicator = Replicator(config: config)
        try collection.save(document: MutableDocument(id: "pending"))
        let myDocIDs = try self.replicator.pendingDocumentIds(collection: collection)
        if !myDocIDs.isEmpty {
            let thisID = myDocIDs.first!
            self.replicator.addChangeListener { (change) in
                do {
                    let isPending = try self.replicator.isDocumentPending(
                        thisID,
                        collection: self.collection
                    )
                    if !isPending {
                        print("Doc ID \(thisID) now pushed")
                    }
                } catch {
                    print(error)
                }
            }
        }
        XCTAssertEqual(myDocIDs, ["pending"])
        replicate()
        XCTAssertFalse(try replicator.isDocumentPending("pending", collection: collection))
    }

    func testItem4Resolver() throws {
        try collection.save(document: MutableDocument(id: "d", data: ["a": 1, "both": "local"]))
        let theirs = MutableDocument(id: "d", data: ["b": 2, "both": "remote"])
        try home.other.defaultCollection().save(document: theirs)
        var config = ReplicatorConfiguration(
            database: home.database,
            target: DatabaseEndpoint(database: home.other)
        )
        config.conflictResolver = MyResolver()
        replicator = Replicator(config: config)
        replicate()
        let merged = try home.other.defaultCollection().document(id: "d")!
        XCTAssertEqual(merged.int(forKey: "a"), 1)
        XCTAssertEqual(merged.int(forKey: "b"), 2)
        XCTAssertEqual(merged.string(forKey: "both"), "local")
    }

    func testItem5MergingProperties() throws {
        try collection.save(document: MutableDocument(id: "xyz", data: ["name": "pears"]))
        guard let document = try collection.document(id: "xyz") else { return XCTFail("none") }
        let mutableDocument = document.toMutable()
        mutableDocument.setString("apples", forKey: "name")
        try collection.save(document: document.toMutable().setInt(1, forKey: "other"))
        let success = try collection.save(
            document: mutableDocument,
            conflictHandler: { (new, current) -> Bool in
                let currentDict = current!.toDictionary()
                let newDict = new.toDictionary()
                let result = newDict.merging(currentDict, uniquingKeysWith: { (first, _) in first })
                new.setData(result)
                return true
            }
        )
        XCTAssertTrue(success)
        XCTAssertEqual(collection["xyz"]["name"].string, "apples")
        XCTAssertEqual(collection["xyz"]["other"].int, 1)
    }

    func testItem6Filters() throws {
        var refused = 0
        let lock = NSLock()
        var config = ReplicatorConfiguration(
            database: home.database,
            target: DatabaseEndpoint(database: home.other)
        )
        config.pushFilter = { (document, flags) in
            if document.string(forKey: "type") == "draft" {
                lock.lock()
                refused += 1
                lock.unlock()
                return false
            }
            return true
        }
        config.pullFilter = { (document, flags) in
            if flags.contains(.deleted) {
                return false
            }
            return true
        }
        try collection.save(document: MutableDocument(id: "draft", data: ["type": "draft"]))
        try collection.save(document: MutableDocument(id: "final", data: ["type": "final"]))
        replicator = Replicator(config: config)
        replicate()
        XCTAssertEqual(refused, 1)
        XCTAssertNil(try home.other.defaultCollection().document(id: "draft"))
        XCTAssertNotNil(try home.other.defaultCollection().document(id: "final"))
    }

    func testItem7ErrorCode() throws {
        var config = ReplicatorConfiguration(
            database: home.database,
            target: DatabaseEndpoint(database: home.database)
        )
        config.replicatorType = .push
        replicator = Replicator(config: config)
        let failed = expectation(description: "failed")
        replicator.addChangeListener(withQueue: queue) { (change) in
            if let error = change.status.error as NSError? {
                print("Error code :: \(error.code)")
                XCTAssertEqual(error.domain, CBLError.domain)
                failed.fulfill()
            }
        }
        replicator.start()
        wait(for: [failed], timeout: 30)
    }

    func testItem8DocumentEvents() throws {
        var config = ReplicatorConfiguration(
            database: home.database,
            target: DatabaseEndpoint(database: home.other)
        )
        config.replicatorType = .push
        replicator = Replicator(config: config)
        var pushed: [String] = []
        let token = replicator.addDocumentReplicationListener(withQueue: queue) { (replication) in
            print("Replication type :: \(replication.isPush ? "Push" : "Pull")")
            for document in replication.documents {
                if document.error == nil {
                    pushed.append("\(document.scope).\(document.collection).\(document.id)")
                    if document.flags.contains(.deleted) {
                        print("Successfully replicated a deleted document")
                    }
                    XCTAssertFalse(document.flags.contains(.accessRemoved))
                } else {
                    XCTFail("\(document.error!)")
                }
            }
        }
        let deleted = MutableDocument(id: "gone")
        try collection.save(document: deleted)
        try collection.delete(document: deleted)
        try collection.save(document: MutableDocument(id: "d"))
        replicate()
        self.replicator.removeChangeListener(withToken: token)
        queue.sync {}
        XCTAssertEqual(pushed.sorted(), ["_default._default.d", "_default._default.gone"])
    }

    func testItem9IdentityAndPinning() throws {
        TLSIdentity.storeDirectory = home.directory.file("identities")
        var config = ReplicatorConfiguration(
            database: home.database,
            target: URLEndpoint(url: URL(string: "wss://10.1.1.12:8092/actDb")!)
        )
        XCTAssertNil(try TLSIdentity.identity(withLabel: "doco-sync-server"))
        _ = try TLSIdentity.createIdentity(
            forServer: false,
            attributes: [certAttrCommonName: "doco"],
            expiration: nil,
            label: "doco-sync-server"
        )
        if let tlsIdentity = try TLSIdentity.identity(withLabel: "doco-sync-server") {
            config.authenticator = ClientCertificateAuthenticator(identity: tlsIdentity)
            let path = home.directory.file("pinned.cer")
            try tlsIdentity.certs[0].der.write(to: URL(fileURLWithPath: path))
            guard
                let localCertificate: NSData = NSData(contentsOfFile: path),
                let pinnedCert = SecCertificateCreateWithData(nil, localCertificate)
            else { return XCTFail("no certificate") }
            config.pinnedServerCertificate = pinnedCert
        }
        XCTAssertNotNil(config.authenticator)
        XCTAssertNotNil(config.pinnedServerCertificate)
    }

    func testItem10TwoPointX() throws {
        let before = LogSinks.console
        Database.setLogLevel(.verbose, domain: .replicator)
        Database.setLogLevel(.verbose, domain: .network)
        Database.setLogLevel(.warning, domain: .replicator)
        Database.setLogLevel(.warning, domain: .network)
        LogSinks.console = before
        try home.database.compact()
        replicator = Replicator(
            config: ReplicatorConfiguration(
                database: home.database,
                target: DatabaseEndpoint(database: home.other)
            )
        )
        replicator.resetCheckpoint()
        replicate()
    }
}
