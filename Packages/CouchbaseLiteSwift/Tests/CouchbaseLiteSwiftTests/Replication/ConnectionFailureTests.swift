import CouchbaseLiteSwift
import DivanPlatform
import Foundation
import Testing

/// Connections that fail: the error, and the number of attempts.
@Suite(.timeLimit(.minutes(5))) struct ConnectionFailureTests {
    @Test func `a refused connection is retried up to maxAttempts`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        let target = try listener.endpoint()
        listener.stop()
        var configuration = try peers.configuration(target: target)
        configuration.maxAttempts = 3
        configuration.maxAttemptWaitTime = 0.02

        let statuses = await Replicator(config: configuration).statuses()

        let expected: [Replicator.ActivityLevel] = [
            .connecting, .offline, .connecting, .offline, .connecting, .stopped,
        ]
        #expect(statuses.map(\.activity) == expected)
        let last = try #require(statuses.last?.error as NSError?)
        #expect(last.domain == NSPOSIXErrorDomain)
        #expect(last.code == Int(Errno.connectionRefused.rawValue))
        let second = try #require(statuses.dropFirst().first)
        #expect(second.error != nil)
    }

    @Test func `one attempt means no retry`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        let target = try listener.endpoint()
        listener.stop()
        var configuration = try peers.configuration(target: target)
        configuration.maxAttempts = 1
        let statuses = await Replicator(config: configuration).statuses()
        #expect(statuses.map(\.activity) == [.connecting, .stopped])
    }

    @Test func `stop ends the wait for the next attempt`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        let target = try listener.endpoint()
        listener.stop()
        let replicator = Replicator(config: try peers.configuration(target: target))
        let offline = await replicator.start(until: .offline)
        #expect(offline?.error != nil)

        let changes = replicator.statusStream
        replicator.stop()
        for await _ in changes {}
        #expect(replicator.status.activity == .stopped)
        #expect(replicator.status.error == nil)
    }

    @Test func `connecting with ws to a TLS port fails as an abnormal close`() async throws {
        let peers = try Peers()
        let listener = try peers.listen()
        defer { listener.stop() }
        let target = try URLEndpoint(validating: "ws://127.0.0.1:\(listener.port ?? 0)/there")
        var configuration = try peers.configuration(target: target)
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        #expect(await replicator.finalCode() == CBLError.webSocketAbnormalClose)
    }

    @Test func `connecting with wss to a plain port fails the TLS handshake`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let target = try URLEndpoint(validating: "wss://127.0.0.1:\(listener.port ?? 0)/there")
        var configuration = try peers.configuration(target: target)
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        #expect(await replicator.finalCode() != 0)
    }

    @Test(arguments: ["http://host/db", "ws:///db", "ws://user:secret@host/db", "not a url", ""])
    func `an invalid endpoint URL from user input is rejected with a message`(text: String) {
        do {
            _ = try URLEndpoint(validating: text)
            Issue.record("accepted")
        } catch let error as NSError {
            #expect(error.code == CBLError.invalidURL)
            #expect(!error.localizedDescription.contains("secret"))
        }
    }

    @Test func `an unknown network interface is 5027`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.networkInterface = "nowhere0"
        configuration.maxAttempts = 1
        #expect(await Replicator(config: configuration).finalCode() == CBLError.unknownInterface)
    }

    @Test func `a connection with a proxy never bypasses it`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let port: UInt16 = 1  // nothing listens there
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.proxy = ProxySettings(hostname: "127.0.0.1", port: port)
        configuration.maxAttempts = 1
        let error = await Replicator(config: configuration).statuses().last?.error as NSError?
        #expect(error?.domain == NSPOSIXErrorDomain)
        #expect(error?.code == Int(Errno.connectionRefused.rawValue))
        #expect(error?.localizedDescription.contains("proxy 127.0.0.1:\(port)") == true)
    }
}
