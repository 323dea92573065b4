import DivanBLIP
import DivanRevisions
import DivanStore
import Testing

// Another connection that receives a blob for a minute is an entry in the table.
@testable import DivanReplicator

/// Several peers whose documents have the same blob.
@Suite struct BlobsInFlightTests {
    private static let content = [UInt8](repeating: 7, count: 1_000)
    private static let digest = BlobDigest(hashing: content.span)

    private let site: Site
    private let table = RevisionsInFlight()

    init() throws {
        site = try Site()
    }

    /// A server from which our active peer has requested a document with the blob.
    private func server(_ id: String) throws -> Counterpart {
        var options = Conversation.Options(pushes: false, isContinuous: true)
        options.inFlight = table
        options.remoteIdentity = "ws://\(id):4984/db/_blipsync"
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[1,"\#(id)","1-aa"]]"#)
        sendRevision(of: id, from: &server)
        return server
    }

    private func sendRevision(of id: String, from peer: inout Counterpart) {
        let properties: BLIPProperties = [
            "collection": "0", "id": id, "rev": "1-aa", "sequence": "1",
        ]
        let body = #"{"photo":{"@type":"blob","digest":"\#(Self.digest)","length":1000}}"#
        peer.ask("rev", properties, body)
    }

    private func isAsked(_ peer: Counterpart) -> Bool {
        peer.requests.contains { $0.profile == "getAttachment" }
    }

    @Test func `a blob that one peer is sending is not requested from another one`() throws {
        var (first, second) = (try server("a"), try server("b"))
        #expect(isAsked(first) && !isAsked(second))
        try first.answer("getAttachment", bytes: Self.content)
        second.advance(to: .zero)
        #expect(!isAsked(second))
        #expect(try site.contents().keys.sorted() == ["a", "b"])
        #expect(second.events.map(\.error?.code) == [nil])
    }

    @Test func `a client that pushes a blob which a server is sending need not send it`() throws {
        var server = try server("a")
        var options = Conversation.Options()
        options.inFlight = table
        var client = Counterpart.client(site, options)
        sendRevision(of: "b", from: &client)
        #expect(!isAsked(client))
        try server.answer("getAttachment", bytes: Self.content)
        client.advance(to: .zero)
        #expect(try site.contents().keys.sorted() == ["a", "b"])
        #expect(!isAsked(client))
    }

    @Test func `if the peer that sends a blob disconnects, the next one is asked`() throws {
        var (first, second) = (try server("a"), try server("b"))
        first.peer.disconnected(at: .zero)
        second.advance(to: .zero)
        try second.answer("getAttachment", bytes: Self.content)
        #expect(try site.contents().keys.sorted() == ["b"])
    }

    @Test func `if a blob is refused by one peer, the next one is asked`() throws {
        var (first, second) = (try server("a"), try server("b"))
        try first.refuse("getAttachment", "HTTP", 404)
        second.advance(to: .zero)
        try second.answer("getAttachment", bytes: Self.content)
        #expect(try site.contents().keys.sorted() == ["b"])
    }

    @Test func `a blob that makes no progress for two seconds is requested from another peer`()
        throws
    {
        var (first, second) = (try server("a"), try server("b"))
        second.advance(to: .milliseconds(1_999))
        #expect(!isAsked(second))
        #expect(second.peer.deadline.map { $0 <= .seconds(2) } == true)
        second.advance(to: .seconds(2))
        try second.answer("getAttachment", bytes: Self.content)
        try first.answer("getAttachment", bytes: Self.content)
        #expect(try site.contents().keys.sorted() == ["a", "b"])
    }

    @Test func `a blob that makes progress is awaited for a minute`() throws {
        let other = table.join()
        let key = RevisionsInFlight.Key(Self.digest)
        #expect(other.begin([key], at: .zero, for: .seconds(2), waits: true).isEmpty)
        var server = try server("a")
        for second in 1..<60 {
            other.renew(key, until: .seconds(second + 2))
            server.advance(to: .seconds(second))
            #expect(!isAsked(server), "after \(second) s")
        }
        server.advance(to: .seconds(60))
        try server.answer("getAttachment", bytes: Self.content)
        #expect(try site.contents().keys.sorted() == ["a"])
    }

    /// Otherwise it would have many blobs that it may not read sent by others.
    @Test func `a client with limited rights sends each blob itself`() throws {
        let server = try server("a")
        var options = Conversation.Options()
        options.inFlight = table
        options.bindsBlobs = true
        var client = Counterpart.client(site, options)
        sendRevision(of: "b", from: &client)
        #expect(isAsked(server) && isAsked(client))
    }
}
