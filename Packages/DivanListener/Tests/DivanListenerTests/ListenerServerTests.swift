import DivanAuth
import DivanCrypto
import DivanListener
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTLS
import DivanTransport
import Foundation
import Testing

/// A listener and its clients over sockets of this machine.
@Suite(.timeLimit(.minutes(5))) struct ListenerServerTests {
    @Test func `two clients sync through a listener's store`() async throws {
        let serving = try Serving()
        let (first, second) = (Store.inMemory(), Store.inMemory())
        for number in 0..<150 { try first.put(DocumentID(unchecked: "\(number)"), number) }
        #expect(try await serving.sync(first)?.error == nil)
        #expect(try await serving.sync(second)?.error == nil)
        #expect(try second.documentCount == 150)

        let statistics = serving.server.statistics
        #expect(statistics.connectionCount == 2)
        #expect(statistics.receivedDocumentCount == 150)
        #expect(statistics.sentDocumentCount == 150)
        #expect(statistics.receivedByteCount > 0)
        #expect(statistics.sentByteCount > 0)
    }

    @Test func `the older subprotocol is used if a client offers no other`() async throws {
        let serving = try Serving()
        let client = Store.inMemory()
        try client.put("a", 1)
        let last = try await serving.sync(client, subprotocols: [Subprotocol.version2.rawValue])
        #expect(last?.error == nil)
        #expect(try serving.store.documentCount == 1)
    }

    @Test func `a client with an unknown subprotocol is rejected`() async throws {
        let last = try await Serving().sync(.inMemory(), subprotocols: ["BLIP_3+CBMobile_9"])
        #expect(last?.error?.code == 400)
    }

    @Test func `an unknown database is rejected with 404`() async throws {
        let last = try await Serving().sync(.inMemory(), database: "cellar")
        #expect(last?.error?.domain == .webSocket)
        #expect(last?.error?.code == 404)
    }

    @Test func `credentials are required before any other check`() async throws {
        let serving = try Serving {
            $0.authenticator = PasswordListenerAuthenticator { name, password in
                name == "ada" && password == "lovelace"
            }
        }
        let wrong = try BasicCredentials(username: "ada", password: "byron")
        let right = try BasicCredentials(username: "ada", password: "lovelace")
        let codes = [
            try await serving.sync(.inMemory())?.error?.code,
            try await serving.sync(.inMemory(), credentials: wrong)?.error?.code,
            try await serving.sync(.inMemory(), database: "cellar")?.error?.code,
            try await serving.sync(.inMemory(), credentials: right)?.error?.code,
        ]
        #expect(codes == [401, 401, 401, nil])
    }

    @Test func `the number of concurrent password checks is limited`() async throws {
        let serving = try Serving {
            $0.limits.checkingCount = 2
            $0.authenticator = PasswordListenerAuthenticator { _, _ in true }
        }
        let credentials = try BasicCredentials(username: "a", password: "b")
        let errors = try await withThrowingTaskGroup(of: SyncError?.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await serving.sync(.inMemory(), credentials: credentials)?.error
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors == Array(repeating: nil, count: 12))
    }

    @Test func `the listener uses TLS with its credential`() async throws {
        let credential = try TLSCredential.generate(
            CertificateTemplate(
                attributes: ["CN": "kitchen"],
                usages: .serverAuth,
                now: Date()
            ),
            key: .p256
        )
        let serving = try Serving { $0.credential = credential }
        let client = Store.inMemory()
        try client.put("a", 1)
        #expect(try await serving.sync(client)?.error == nil)
        #expect(try serving.store.documentCount == 1)
    }

    @Test(arguments: [(ListenerServer.StopKind.goingAway, 1001), (.restarting, 4001)])
    func `clients receive the close code when the listener stops`(
        kind: ListenerServer.StopKind,
        code: Int
    ) async throws {
        let serving = try Serving()
        let (session, statuses) = try serving.start(.inMemory(), isContinuous: true)
        var last: SyncStatus?
        for await status in statuses {
            last = status
            guard status.activity == .idle else { continue }
            #expect(serving.server.status.connectionCount == 1)
            await withCheckedContinuation { continuation in
                serving.server.stop(kind) { continuation.resume() }
            }
            #expect(serving.server.status.connectionCount == 0)
        }
        #expect(last?.error?.code == code)
        session.stop()
    }

    @Test func `stopping twice calls both completion handlers`() async throws {
        let serving = try Serving()
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                serving.server.stop { continuation.resume() }
            }
        }
    }

    @Test func `events name the client, the documents with their revisions, and the end`()
        async throws
    {
        let (events, continuation) = AsyncStream.makeStream(of: ListenerEvent.self)
        let serving = try Serving { configuration in
            configuration.authenticator = PasswordListenerAuthenticator { _, _ in true }
            configuration.onEvent = { event in
                continuation.yield(event)
                if case .disconnected = event.kind { continuation.finish() }
            }
        }
        try serving.store.put("here", 1)
        let client = Store.inMemory()
        try client.put("there", 2)
        let credentials = try BasicCredentials(username: "ada", password: "x")
        #expect(try await serving.sync(client, credentials: credentials)?.error == nil)
        var kinds: [String] = []
        var (received, sent) = ([DocumentEvent](), [DocumentEvent]())
        for await event in events {
            #expect(event.connectionID == 1 && event.client.user == "ada")
            switch event.kind {
            case .connected: kinds.append("connected")
            case .documents(let documents):
                received += documents.filter { !$0.isPush }
                sent += documents.filter(\.isPush)
            case .disconnected(let statistics, _):
                kinds.append("disconnected")
                #expect(statistics.receivedDocumentCount == 1 && statistics.sentDocumentCount == 1)
            }
        }
        #expect(kinds == ["connected", "disconnected"])
        for (documents, id) in [(received, DocumentID(unchecked: "there")), (sent, "here")] {
            #expect(documents.map(\.documentID) == [id])
            let stored = try serving.store.read { try $0.document(id, in: .default) }
            #expect(documents.first?.revisionID == stored?.revisionID)
        }
    }

    @Test func `a port in use is an error`() throws {
        let serving = try Serving()
        #expect(throws: TransportError.self) {
            try Serving { $0.port = serving.port }
        }
    }

    @Test func `the hosts are the addresses of the interface, IPv6 in brackets`() {
        #expect(ListenerAddresses.hosts(interface: "127.0.0.1") == ["127.0.0.1"])
        #expect(ListenerAddresses.hosts(interface: "::1") == ["[::1]"])
        #expect(ListenerAddresses.hosts(interface: "lo") == ["127.0.0.1"])
        let all = ListenerAddresses.hosts(interface: nil)
        #expect(all.contains("127.0.0.1"))
        #expect(ListenerAddresses.hosts(interface: "::") == all, "which nobody can connect to")
        #expect(ListenerAddresses.hosts(interface: "0.0.0.0") == all.filter { !$0.contains(":") })
        #expect(ListenerAddresses.hosts(interface: "fe80::1%eth9") == ["[fe80::1%25eth9]"])
        #expect(all.allSatisfy { $0.contains("[fe80:") == $0.contains("%25") })
    }
}
