import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// Configurations: defaults, rules that depend on each other, and misuse.
///
/// The effective values are internal: observing them from outside would mean waiting that long.
@Suite struct ReplicatorConfigurationTests {
    @Test func `the configuration has the documented defaults`() throws {
        let configuration = try Peers().configuration()
        #expect(configuration.replicatorType == .pushAndPull)
        #expect(!configuration.continuous)
        #expect(configuration.heartbeat == 300)
        #expect(configuration.maxAttempts == 10)
        #expect(configuration.maxAttemptWaitTime == 300)
        #expect(configuration.enableAutoPurge)
        #expect(!configuration.acceptOnlySelfSignedServerCertificate)
        #expect(configuration.authenticator == nil)
    }

    @Test func `maxAttempts depends on continuous until it is set`() throws {
        var configuration = try Peers().configuration()
        configuration.continuous = true
        #expect(configuration.maxAttempts == UInt.max)
        configuration.maxAttempts = 4
        configuration.continuous = false
        #expect(configuration.maxAttempts == 4)
    }

    @Test func `zero uses the default and is read back as zero`() throws {
        var configuration = try Peers().configuration()
        configuration.heartbeat = 0
        configuration.maxAttempts = 0
        configuration.maxAttemptWaitTime = 0
        #expect(configuration.heartbeat == 0)
        #expect(configuration.maxAttempts == 0)
        #expect(configuration.maxAttemptWaitTime == 0)
        #expect(configuration.heartbeatInForce == 300)
        #expect(configuration.maxAttemptsInForce == 10)
        #expect(configuration.maxAttemptWaitTimeInForce == 300)
        configuration.continuous = true
        #expect(configuration.maxAttempts == 0 && configuration.maxAttemptsInForce == .max)
        configuration.heartbeat = 0.5
        #expect(configuration.heartbeatInForce == 0.5)
    }

    @Test func `starting with a deleted collection ends with notOpen`() async throws {
        let peers = try Peers()
        let collection = try peers.here.createCollection(name: "gone")
        try peers.here.deleteCollection(name: "gone")
        let replicator = Replicator(
            config: ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: collection)],
                target: DatabaseEndpoint(database: peers.there)
            )
        )
        #expect(await replicator.finalCode() == CBLError.notOpen)
    }

    @Test func `a replicator copies its configuration`() throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        let replicator = Replicator(config: configuration)
        configuration.continuous = true
        #expect(!replicator.config.continuous)
    }

    @Test func `the three ways to create a configuration are equivalent`() throws {
        let older: any OlderNames = Names()
        try older.buildThreeWays()
    }

    @Test func `settings of the old API apply to the default collection`() throws {
        let older: any OlderNames = Names()
        try older.forwardSettings()
    }

    @Test func `negative waits are a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            var configuration = try Peers().configuration()
            configuration.heartbeat = -1
        }
        await #expect(processExitsWith: .failure) {
            var configuration = try Peers().configuration()
            configuration.maxAttemptWaitTime = -1
        }
    }

    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude, 1e30])
    func `infinite or very long waits are accepted`(seconds: TimeInterval) async throws {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.heartbeat = seconds
            $0.limits.handshakeTimeout = seconds
            $0.limits.longestLoginDelay = seconds
            $0.limits.loginMemory = seconds
            $0.limits.stallTimeout = seconds
        }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.heartbeat = seconds
        configuration.maxAttemptWaitTime = seconds
        try await Replicator(config: configuration).run()
        listener.stop()
    }

    @Test func `an http endpoint is a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            _ = URLEndpoint(url: try #require(URL(string: "http://localhost/db")))
        }
    }

    @Test func `an endpoint with credentials is a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            _ = URLEndpoint(url: try #require(URL(string: "ws://ada:secret@localhost/db")))
        }
    }

    @Test(arguments: [
        "ws://127.0.0.1:4984", "wss://127.0.0.1:4984/", "ws:///db", "ws://127.0.0.1/db?a=b",
        "WSS://127.0.0.1/db/_blipsync", "ws://127.0.0.1/db#part",
    ])
    func `any other invalid address ends the start with 5004`(
        _ address: String
    )
        async throws
    {
        let peers = try Peers()
        let endpoint = URLEndpoint(url: try #require(URL(string: address)))
        let replicator = Replicator(config: try peers.configuration(target: endpoint))
        #expect(await replicator.finalCode() == CBLError.invalidURL)
        expect(CBLError.invalidURL) {
            _ = try replicator.pendingDocumentIds(collection: peers.here.defaultCollection())
        }
        expect(CBLError.invalidURL) { _ = try URLEndpoint(validating: address) }
    }
}

/// Names of older versions are deprecated, which a test cannot be; calls through a protocol avoid the warning.
private protocol OlderNames {
    func buildThreeWays() throws
    func forwardSettings() throws
}

private struct Names: OlderNames {
    @available(*, deprecated, message: "Tests names that older programs use.")
    func buildThreeWays() throws {
        let peers = try Peers()
        let collection = try peers.here.defaultCollection()
        let target = DatabaseEndpoint(database: peers.there)
        var second = ReplicatorConfiguration(target: target)
        second.addCollection(collection)
        let third = ReplicatorConfiguration(database: peers.here, target: target)
        for configuration in [try peers.configuration(), second, third] {
            #expect(configuration.collections == [collection])
            #expect(configuration.database === peers.here)
            #expect(configuration.collectionConfig(collection) != nil)
        }
        second.removeCollection(collection)
        #expect(second.collections.isEmpty)
    }

    @available(*, deprecated, message: "Tests names that older programs use.")
    func forwardSettings() throws {
        var configuration = try Peers().configuration()
        configuration.channels = ["news"]
        configuration.documentIDs = ["a"]
        configuration.pushFilter = { _, _ in true }
        #expect(configuration.collectionConfigs.first?.channels == ["news"])
        #expect(configuration.collectionConfigs.first?.documentIDs == ["a"])
        #expect(configuration.collectionConfigs.first?.pushFilter != nil)
    }
}
