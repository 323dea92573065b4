import CouchbaseLiteSwift
import Foundation
import Testing

/// Contents belong to the database: a client with some of its collections must not get the contents of the others by
/// naming their digests.
@Suite(.timeLimit(.minutes(5))) struct UnsharedBlobTests {
    private let peers: Peers

    init() throws {
        peers = try Peers()
    }

    /// Creates a collection that is not shared, with content in it; returns how a document names that content.
    private func makeSecret() throws -> [String: any Sendable] {
        let secrets = try peers.there.createCollection(name: "secrets")
        let secret = Blob(contentType: "text/plain", data: Data("the secret".utf8))
        let document = MutableDocument(id: "secret")
        document.setBlob(secret, forKey: "blob")
        try secrets.save(document: document)
        return [
            "@type": "blob", "digest": secret.digest ?? "", "length": 10,
            "content_type": "text/plain",
        ]
    }

    /// Pushes a document that names the content, which this database does not have.
    private func guess(_ reference: [String: any Sendable], at target: any Endpoint) async throws {
        let here = try peers.here.defaultCollection()
        try here.save(document: MutableDocument(id: "guess", data: ["blob": reference]))
        let configuration = try peers.configuration(.push, target: target)
        _ = await Replicator(config: configuration).finalCode()
        let there = try peers.there.defaultCollection()
        #expect(try there.document(id: "guess") == nil, "who has the content sends it")
    }

    @Test func `a client cannot get blobs of a collection created after the listener started`()
        async throws
    {
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        try await guess(try makeSecret(), at: listener.endpoint())
    }

    @Test func `a client cannot get unshared blobs over a message endpoint`() async throws {
        let reference = try makeSecret()
        let listener = try peers.messageListener()
        let delegate = Wire.Delegate(listener, pieceByteCount: .max)
        let endpoint = MessageEndpoint(
            uid: "peer-1",
            target: nil,
            protocolType: .messageStream,
            delegate: delegate
        )
        try await guess(reference, at: endpoint)
    }
}
