import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Revisions that the peer had, and that it gave up for one of ours while the feed was being read.
@Suite struct OvertakenPushTests {
    private static let smaller = "18e9af52a2ab0000@rGxJD77SR0+odh7PeEHKXA"
    private static let greater = "18e9af52b30f0000@VYU9gI0kQIWF+V5BljXDyA"

    private func insert(
        _ name: String,
        knowing other: String?,
        from remote: RemoteID?,
        into site: Site
    ) throws {
        let id = try #require(RevisionID(ofAnyScheme: name))
        let history = try other.map { [try #require(RevisionID(ofAnyScheme: $0))] } ?? []
        let revision = RemoteRevision(
            documentID: "doc",
            revisionID: id,
            history: history,
            body: Array("{\"by\":\"\(name)\"}".utf8),
            remote: remote,
            refusesConflicts: remote == nil
        )
        _ = try site.store.write { try $0.insert(revision, in: .default) }
    }

    /// Marks wait for each other while there is a backlog, so the row still says that the peer has the
    /// greater of two crossed revisions when it has just taken the smaller.
    @Test func `what the peer has just given up for ours is pushed to it`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        var options = Conversation.Options(pulls: false, isContinuous: true)
        options.limits.changesCount = 1
        options.limits.listsInFlightCount = 1
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        try insert(Self.greater, knowing: nil, from: remote, into: site)
        try insert(Self.smaller, knowing: Self.greater, from: nil, into: site)
        for documentID in ["one", "two"] {
            try site.save(DocumentID(unchecked: documentID), "{}")
        }
        var server = Counterpart(options.active, site, version: .version4)
        try server.answer("getCollections", "[{}]")
        #expect(try text(server.answer("proposeChanges", "[]")).contains(Self.smaller))
        try server.answer("rev", "", ["sequence": "5"])

        // Another peer brings the greater one back.
        try insert(Self.greater, knowing: Self.smaller, from: nil, into: site)
        #expect(try site.revision("doc") == Self.greater)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        for _ in 0..<2 { try server.answer("proposeChanges", "[304]") }
        #expect(
            try text(server.take("proposeChanges"))
                .hasPrefix(#"[["doc","\#(Self.greater)","\#(Self.smaller)""#)
        )
    }

    /// The peer takes back the greater of two crossed revisions while the smaller is on its way here.
    @Test func `what arrives after the peer gave it up is told to the peer`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        let options = Conversation.Options(isContinuous: true)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        try insert(Self.greater, knowing: nil, from: remote, into: site)
        var server = Counterpart(options.active, site, version: .version4)
        try server.answer("getCollections", "[{}]")
        try server.answer("subChanges", "", ["pending": "1"])
        try server.answer("proposeChanges", "[304]")
        server.ask("changes", ["collection": "0"], #"[[7,"doc","\#(Self.smaller)"]]"#)
        server.ask("changes", ["collection": "0"], #"[[8,"doc","\#(Self.greater)"]]"#)
        server.ask(
            "rev",
            [
                "collection": "0", "id": "doc", "rev": "\(Self.smaller)", "sequence": "7",
                "history": "\(Self.greater)",
            ],
            #"{"v":1}"#
        )
        #expect(try site.revision("doc") == Self.smaller)
        #expect(
            try text(server.take("proposeChanges"))
                .hasPrefix(#"[["doc","\#(Self.smaller)","\#(Self.greater)""#)
        )
    }

    private func text(_ request: BLIPIncomingRequest) -> String {
        String(decoding: request.body, as: UTF8.self)
    }
}
