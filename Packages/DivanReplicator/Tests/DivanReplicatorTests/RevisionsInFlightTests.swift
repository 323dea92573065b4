import DivanBLIP
import DivanRevisions
import DivanStore
import Synchronization
import Testing

// The bounds of the table show in transfers only with thousands of revisions.
@testable import DivanReplicator

/// Several peers that offer the same revisions to one database.
@Suite struct RevisionsInFlightTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private let site: Site
    private let table = RevisionsInFlight()

    init() throws {
        site = try Site()
    }

    /// A server from which our active peer pulls continuously.
    private func server(_ name: String) throws -> Counterpart {
        var options = Conversation.Options(pushes: false, isContinuous: true)
        options.inFlight = table
        options.remoteIdentity = "ws://\(name):4984/db/_blipsync"
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        return server
    }

    /// A client that pushes to our passive peer.
    private func client() -> Counterpart {
        var options = Conversation.Options()
        options.inFlight = table
        return .client(site, options)
    }

    /// Sends a list of changes or proposals, whose answer may come later.
    private func send(
        _ profile: String,
        _ list: String,
        from peer: inout Counterpart
    ) throws -> BLIPRequestNumber {
        let number = peer.send(
            ["Profile": profile, "collection": "0"],
            Array(list.utf8),
            isNoReply: false,
            isCompressed: false
        )
        return try #require(number)
    }

    private func answer(_ number: BLIPRequestNumber, to peer: Counterpart) -> String? {
        peer.reply(to: number).map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Sends the first revision of a document.
    private func sendRevision(of id: String, from peer: inout Counterpart) throws {
        let properties: BLIPProperties = [
            "collection": "0", "id": id, "rev": "1-\(id)\(id)", "sequence": "1",
        ]
        let reply = peer.ask("rev", properties, "{}")
        #expect(try #require(reply).error == nil)
    }

    @Test func `a revision in flight from one peer is not requested from another one`() throws {
        var (first, second) = (try server("first"), try server("second"))
        let asked = try send("changes", #"[[1,"a","1-aa"]]"#, from: &first)
        #expect(answer(asked, to: first) == "[[]]")
        let waiting = try send("changes", #"[[1,"a","1-aa"]]"#, from: &second)
        #expect(answer(waiting, to: second) == nil)
        let isOver = Mutex(false)
        let awaited = try #require(second.awaited.first)
        awaited.whenOver { isOver.withLock { $0 = true } }
        #expect(!isOver.withLock { $0 })

        try sendRevision(of: "a", from: &first)
        #expect(isOver.withLock { $0 })
        second.advance(to: .zero)
        #expect(answer(waiting, to: second) == "[]")
        second.ask("changes", Self.zero, "[]", isNoReply: true)
        let saved = try second.take("setCheckpoint").body
        #expect(Checkpoint(json: saved).remote == RemoteSequence(1))
    }

    @Test func `if a transfer fails, the revision is requested from the next peer`() throws {
        var (first, second) = (try server("first"), try server("second"))
        _ = try send("changes", #"[[1,"a","1-aa"],[2,"b","1-bb"]]"#, from: &first)
        let waiting = try send("changes", #"[[1,"a","1-aa"],[2,"b","1-bb"]]"#, from: &second)
        try sendRevision(of: "a", from: &first)
        second.advance(to: .zero)
        #expect(answer(waiting, to: second) == nil, "b may still arrive")
        #expect(!second.requests.contains { $0.profile == "setCheckpoint" })

        first.peer.disconnected(at: .zero)
        second.advance(to: .zero)
        #expect(answer(waiting, to: second) == "[0,[]]")
        try sendRevision(of: "b", from: &second)
        #expect(try site.contents().keys.sorted() == ["a", "b"])
    }

    @Test func `a list waits at most two seconds for another peer`() throws {
        var (first, second) = (try server("first"), try server("second"))
        _ = try send("changes", #"[[1,"a","1-aa"]]"#, from: &first)
        let waiting = try send("changes", #"[[1,"a","1-aa"]]"#, from: &second)
        second.advance(to: .milliseconds(1_999))
        #expect(answer(waiting, to: second) == nil)
        #expect(second.peer.deadline.map { $0 <= .seconds(2) } == true)
        second.advance(to: .seconds(2))
        #expect(answer(waiting, to: second) == "[[]]")
        try sendRevision(of: "a", from: &first)
        try sendRevision(of: "a", from: &second)
        #expect(try site.contents().count == 1)
    }

    /// Otherwise a slow peer could delay each of another peer's lists.
    @Test func `a list does not wait for a transfer that began two seconds ago`() throws {
        var (first, second) = (try server("first"), try server("second"))
        _ = try send("changes", #"[[1,"a","1-aa"]]"#, from: &first)
        second.advance(to: .seconds(2))
        let asked = try send("changes", #"[[1,"a","1-aa"]]"#, from: &second)
        #expect(answer(asked, to: second) == "[[]]")
    }

    @Test func `a list that waits delays no other list`() throws {
        var (first, second, third) = (
            try server("first"), try server("second"), try server("third")
        )
        _ = try send("changes", #"[[1,"a","1-aa"]]"#, from: &first)
        let waiting = try send("changes", #"[[1,"b","1-bb"],[2,"a","1-aa"]]"#, from: &second)
        let asked = try send("changes", #"[[1,"b","1-bb"]]"#, from: &third)
        #expect(answer(asked, to: third) == "[[]]")
        try sendRevision(of: "a", from: &first)
        second.advance(to: .zero)
        #expect(answer(waiting, to: second) == nil)
        try sendRevision(of: "b", from: &third)
        second.advance(to: .zero)
        #expect(answer(waiting, to: second) == "[]")
    }

    @Test func `a revision that was purged in the meantime is requested again`() throws {
        var (first, second) = (try server("first"), try server("second"))
        _ = try send("changes", #"[[1,"a","1-aa"]]"#, from: &first)
        let waiting = try send("changes", #"[[1,"a","1-aa"]]"#, from: &second)
        try sendRevision(of: "a", from: &first)
        try site.purge("a")
        second.advance(to: .zero)
        #expect(answer(waiting, to: second) == "[[]]")
    }

    @Test func `a proposal waits for a revision in flight, and is then refused as known`() throws {
        var (server, client) = (try server("first"), client())
        _ = try send("changes", #"[[1,"a","1-aa"]]"#, from: &server)
        let waiting = try send("proposeChanges", #"[["a","1-aa"]]"#, from: &client)
        #expect(answer(waiting, to: client) == nil)
        try sendRevision(of: "a", from: &server)
        client.advance(to: .zero)
        #expect(answer(waiting, to: client) == "[304]")
    }

    @Test func `a pull waits for a revision that a client is pushing`() throws {
        var (server, client) = (try server("first"), client())
        let accepted = try send("proposeChanges", #"[["a","1-aa"]]"#, from: &client)
        #expect(answer(accepted, to: client) == "[]")
        let waiting = try send("changes", #"[[1,"a","1-aa"]]"#, from: &server)
        #expect(answer(waiting, to: server) == nil)
        try sendRevision(of: "a", from: &client)
        server.advance(to: .zero)
        #expect(answer(waiting, to: server) == "[]")
    }

    @Test func `a connection has at most a quarter of the entries`() throws {
        let revisionID = try #require(RevisionID("1-aa"))
        let keys = ["a", "b", "c"].map {
            RevisionsInFlight.Key(DocumentID(unchecked: $0), revisionID, in: .default)
        }
        let table = RevisionsInFlight(count: 8)
        let (one, two) = (table.join(), table.join())
        #expect(one.begin(keys, at: .zero, for: .seconds(2), waits: true).isEmpty)
        #expect(keys.map { two.awaited($0, at: .zero) != nil } == [true, true, false])
        two.end(keys[0])
        #expect(two.awaited(keys[0], at: .zero) != nil, "it is the other's")
        // Those that delay nothing any more make room.
        let late = Duration.seconds(3)
        #expect(one.begin([keys[2]], at: late, for: .seconds(2), waits: true).isEmpty)
        #expect(keys.map { two.awaited($0, at: late) != nil } == [false, false, true])
        one.endAll()
        #expect(two.awaited(keys[2], at: late) == nil)
    }
}
