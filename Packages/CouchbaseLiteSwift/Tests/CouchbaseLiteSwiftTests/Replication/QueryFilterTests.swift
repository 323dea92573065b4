import CouchbaseLiteSwift
import Foundation
import Testing

/// Rights and filters in SQL++, with a listener and a replicator.
@Suite(.timeLimit(.minutes(5))) struct QueryFilterTests {
    private let peers: Peers

    struct Note: Codable, Sendable {
        var owner: String
        var priority: Int
    }

    init() throws {
        peers = try Peers()
    }

    private func put(
        _ id: String,
        _ owner: String,
        _ priority: Int = 1,
        in database: Database
    ) throws {
        let collection = try database.defaultCollection()
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setString(owner, forKey: "owner").setInt(priority, forKey: "priority")
        try collection.save(document: document)
    }

    private func ids(_ database: Database) throws -> [String] {
        try database.defaultCollection().documentIDs()
    }

    private func user(_ name: String) -> Parameters {
        Parameters().setString(name, forName: "user")
    }

    /// A listener whose users see and store only their own documents.
    private func listen() throws -> URLEndpointListener {
        try peers.listen {
            $0.disableTLS = true
            $0.authenticator = ListenerPasswordAuthenticator { _, _ in true }
            $0.access = { client in
                var access = ListenerAccess()
                do {
                    let user = Parameters().setString(client.user, forName: "user")
                    try access.limit(where: "owner = $user", parameters: user)
                } catch {
                    return .refused("\(error)")
                }
                return access
            }
        }
    }

    private func sync(
        _ listener: URLEndpointListener,
        as name: String,
        _ type: ReplicatorType = .pushAndPull,
        _ change: (inout CollectionConfiguration) throws -> Void = { _ in }
    ) async throws -> [String: Int] {
        var entry = CollectionConfiguration(collection: try peers.here.defaultCollection())
        try change(&entry)
        var configuration = ReplicatorConfiguration(
            collections: [entry],
            target: try listener.endpoint()
        )
        configuration.replicatorType = type
        configuration.authenticator = BasicAuthenticator(username: name, password: "x")
        let replicator = Replicator(config: configuration)
        let refused = Heard<(String, Int)>()
        let token = replicator.addDocumentReplicationListener(withQueue: .global()) { event in
            for document in event.documents {
                guard let error = document.error as NSError? else { continue }
                refused.append((document.id, error.code))
            }
        }
        defer { token.remove() }
        #expect(await replicator.finalCode() == 0)
        return Dictionary(refused.elements, uniquingKeysWith: { first, _ in first })
    }

    @Test func `a condition limits the documents that a listener's client can read and write`()
        async throws
    {
        for (id, owner) in [("a1", "ada"), ("e1", "eve"), ("a2", "ada"), ("x", "o' OR 1=1 --")] {
            try put(id, owner, in: peers.there)
        }
        try put("mine", "eve", in: peers.here)
        try put("forged", "ada", in: peers.here)
        let listener = try listen()
        defer { listener.stop() }
        _ = try await sync(listener, as: "eve")
        #expect(try ids(peers.here) == ["e1", "forged", "mine"])
        #expect(try ids(peers.there) == ["a1", "a2", "e1", "mine", "x"])
    }

    @Test func `a client cannot change or delete documents outside its condition`() async throws {
        try put("a1", "eve", in: peers.there)
        let listener = try listen()
        defer { listener.stop() }
        _ = try await sync(listener, as: "eve")
        // Eve has the document, and knows its revision; then it becomes Ada's.
        try put("a1", "ada", in: peers.there)
        let revision = try peers.there.defaultCollection().document(id: "a1")?.revisionID
        try put("a1", "eve", 7, in: peers.here)
        _ = try await sync(listener, as: "eve", .push)
        try peers.here.defaultCollection().delete(
            document: #require(try peers.here.defaultCollection().document(id: "a1"))
        )
        _ = try await sync(listener, as: "eve", .push)
        #expect(try peers.there.defaultCollection().document(id: "a1")?.revisionID == revision)
    }

    @Test func `a condition selects the same documents on the listener and on the client`()
        async throws
    {
        let owners = ["ada", "eve", "bo"]
        for number in 0..<60 {
            try put("d\(number)", owners[number % 3], number % 7, in: peers.there)
        }
        let condition = "priority > 2 AND owner IN ('ada', 'bo') OR META().id LIKE 'd1_'"
        let expected = try peers.there.createQuery("SELECT META().id FROM _ WHERE \(condition)")
            .execute().compactMap { $0.string(at: 0) }.sorted()
        #expect((10..<50).contains(expected.count))
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.access = { _ in
                var access = ListenerAccess()
                try? access.limit(where: condition)
                return access
            }
        }
        _ = try await sync(listener, as: "x", .pull)
        listener.stop()
        #expect(try ids(peers.here).sorted() == expected)

        let other = try Peers()
        let whole = try other.listen { $0.disableTLS = true }
        defer { whole.stop() }
        for number in 0..<60 {
            try put("d\(number)", owners[number % 3], number % 7, in: other.here)
        }
        let filter = try Collection.filter(where: condition)
        let configuration = try other.configuration(.push, target: whole.endpoint()) {
            $0.pushFilter = filter
        }
        #expect(await Replicator(config: configuration).finalCode() == 0)
        #expect(try other.there.defaultCollection().documentIDs().sorted() == expected)
    }

    @Test func `a typed condition filters a push, but deletions are still sent`() async throws {
        for (id, owner) in [("a1", "ada"), ("e1", "eve"), ("a2", "ada")] {
            try put(id, owner, in: peers.here)
        }
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let filter = try Collection.filter(where: \Note.owner == "ada" && \Note.priority < 5)
        func push() async throws {
            _ = try await sync(listener, as: "x", .push) { $0.pushFilter = filter }
        }
        try await push()
        #expect(try ids(peers.there) == ["a1", "a2"])
        try put("a2", "ada", 9, in: peers.here)
        let collection = try peers.here.defaultCollection()
        try collection.delete(document: #require(try collection.document(id: "a1")))
        try await push()
        // A document that no longer matches stays as it was; a deleted one is removed.
        #expect(try ids(peers.there) == ["a2"])
        let document = try peers.there.defaultCollection().document(id: "a2")
        #expect(document?.int(forKey: "priority") == 1)
    }

    @Test func `an invalid condition throws before replication starts`() throws {
        for text in ["owner =", "owner = $user", "COUNT(*) = 1", "META().sequence = 1", "1) OR (1"]
        {
            #expect(throws: NSError.self) { try Collection.filter(where: text) }
        }
        let unknown = #expect(throws: NSError.self) {
            try Collection.filter(where: "owner = 'a'", parameters: user("x"))
        }
        #expect(unknown?.code == CBLError.invalidQueryParam)
    }
}
