import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// The access hook: which clients are accepted, and what each may read and write.
@Suite(.timeLimit(.minutes(5))) struct ListenerAccessTests {
    private let peers: Peers

    init() throws {
        peers = try Peers()
    }

    private func listen(
        _ access: @escaping @Sendable (ListenerClient) -> ListenerAccess
    ) throws -> URLEndpointListener {
        try peers.listen {
            $0.disableTLS = true
            $0.access = access
        }
    }

    private func code(
        _ listener: URLEndpointListener,
        _ type: ReplicatorType = .pushAndPull,
        collections: [Collection]? = nil
    ) async throws -> Int {
        let configuration = try peers.configuration(
            type,
            target: listener.endpoint(),
            collections: collections
        )
        return await Replicator(config: configuration).finalCode()
    }

    private func save(_ id: String, owner: String, in collection: Collection) throws {
        let document = MutableDocument(id: id)
        document.setString(owner, forKey: "owner")
        document.setString(String(repeating: "secret ", count: 60), forKey: "text")
        try collection.save(document: document)
    }

    @Test func `the access hook gets the user, certificate and address`() async throws {
        let identity = try TLSIdentity.createIdentity(
            for: .clientAuth,
            attributes: [certAttrCommonName: "robot"],
            label: UUID().uuidString
        )
        let heard = Heard<ListenerClient>()
        let listener = try peers.listen {
            $0.authenticator = ListenerCertificateAuthenticator { _ in true }
            $0.access = { client in
                heard.append(client)
                return .full
            }
        }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.authenticator = ClientCertificateAuthenticator(identity: identity)
        #expect(await Replicator(config: configuration).finalCode() == 0)
        let client = try #require(heard.elements.first)
        #expect(client.certificates == identity.certs)
        #expect(client.address == "127.0.0.1")
        #expect(client.isSecure)
        #expect(client.user == nil)
    }

    @Test func `a refused client stops with 10403, and others can connect`() async throws {
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.authenticator = ListenerPasswordAuthenticator { _, _ in true }
            $0.access = { $0.user == "ada" ? .full : .refused("only ada") }
        }
        defer { listener.stop() }
        var codes: [Int] = []
        for name in ["eve", "ada"] {
            var configuration = try peers.configuration(target: listener.endpoint())
            configuration.authenticator = BasicAuthenticator(username: name, password: "x")
            codes.append(await Replicator(config: configuration).finalCode())
        }
        #expect(codes == [CBLError.httpForbidden, 0])
        #expect(listener.statistics.refusalCountByStatus == [403: 1])
    }

    @Test func `a collection without access is not found`() async throws {
        let (shared, kept) = (
            try peers.there.defaultCollection(), try peers.there.createCollection(name: "kept")
        )
        let ours = try peers.here.createCollection(name: "kept")
        try save("a", owner: "ada", in: kept)
        let listener = try peers.listen(collections: [shared, kept]) {
            $0.disableTLS = true
            $0.access = { _ in
                var access = ListenerAccess()
                access.collections = [shared]
                return access
            }
        }
        defer { listener.stop() }
        #expect(try await code(listener) == 0)
        let refused = try await code(listener, collections: [ours])
        #expect(refused == CBLError.httpNotFound)
        #expect(ours.count == 0)
    }

    @Test func `read-only access applies to a single peer`() async throws {
        try save("here", owner: "ada", in: peers.here.defaultCollection())
        try save("there", owner: "ada", in: peers.there.defaultCollection())
        let listener = try listen { _ in
            var access = ListenerAccess()
            access.readOnly = true
            return access
        }
        defer { listener.stop() }
        #expect(try await code(listener, .push) == CBLError.httpForbidden)
        #expect(try await code(listener, .pull) == 0)
        #expect(try peers.here.defaultCollection().count == 2)
        #expect(try peers.there.defaultCollection().count == 1)
    }

    @Test func `a read filter hides documents, their tombstones and their blobs`() async throws {
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        for number in 0..<1_200 {
            try save("\(number)", owner: number % 400 == 0 ? "ada" : "bob", in: there)
        }
        let picture = MutableDocument(id: "picture")
        picture.setString("ada", forKey: "owner")
        picture.setBlob(Blob(contentType: "text/plain", data: Data("hi".utf8)), forKey: "blob")
        try there.save(document: picture)
        let listener = try listen { _ in
            var access = ListenerAccess()
            access.readFilter = { document, _ in document.string(forKey: "owner") == "ada" }
            return access
        }
        defer { listener.stop() }
        #expect(try await code(listener, .pull) == 0)
        #expect(here.count == 4)
        #expect(try here.document(id: "picture")?.blob(forKey: "blob")?.content == Data("hi".utf8))
        #expect(try here.document(id: "1") == nil)
    }

    @Test func `pushing does not reveal documents that a peer cannot read`() async throws {
        try save("taken", owner: "bob", in: peers.there.defaultCollection())
        try save("taken", owner: "ada", in: peers.here.defaultCollection())
        let listener = try listen { _ in
            var access = ListenerAccess()
            access.readFilter = { document, _ in document.string(forKey: "owner") == "ada" }
            return access
        }
        defer { listener.stop() }
        let configuration = try peers.configuration(.push, target: listener.endpoint())
        let replicator = Replicator(config: configuration)
        let codes = Heard<Int>()
        let queue = DispatchQueue(label: "test")
        let token = replicator.addDocumentReplicationListener(withQueue: queue) { change in
            for document in change.documents {
                codes.append((document.error as NSError?)?.code ?? 0)
            }
        }
        defer { token.remove() }
        #expect(await replicator.finalCode() == 0)
        queue.sync {}
        #expect(codes.elements == [CBLError.httpForbidden])
        let kept = try peers.there.defaultCollection().document(id: "taken")
        #expect(kept?.string(forKey: "owner") == "bob")
    }

    @Test func `a write filter rejects single documents with 10403`() async throws {
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try save("mine", owner: "ada", in: here)
        try save("yours", owner: "bob", in: here)
        let listener = try listen { _ in
            var access = ListenerAccess()
            access.writeFilter = { document, _ in document.string(forKey: "owner") == "ada" }
            return access
        }
        defer { listener.stop() }
        #expect(try await code(listener, .push) == 0)
        #expect(try there.document(id: "mine") != nil)
        #expect(try there.document(id: "yours") == nil)
        #expect(listener.statistics.failedDocumentCount >= 1)
    }

    @Test func `a database can have several listeners at the same time`() async throws {
        try save("a", owner: "ada", in: peers.there.defaultCollection())
        let open = try listen { _ in .full }
        let closed = try listen { _ in .refused() }
        defer {
            open.stop()
            closed.stop()
        }
        #expect(open.port != closed.port)
        #expect(try await code(closed) == CBLError.httpForbidden)
        #expect(try await code(open) == 0)
        closed.stop()
        #expect(try await code(open) == 0)
    }
}
