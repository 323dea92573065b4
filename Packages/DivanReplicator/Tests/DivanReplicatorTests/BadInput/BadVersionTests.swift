import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Invalid versions, and peers that misbehave, against databases with version vectors.
@Suite struct BadVersionTests {
    private static let foreign = "VYU9gI0kQIWF+V5BljXDyA"

    private func site() throws -> Site { try Site(.inMemory(scheme: .vectors)) }

    private func put(
        _ revision: String,
        history: String = "",
        into site: Site
    ) throws -> InsertOutcome {
        let id = try #require(RevisionID(ofAnyScheme: revision))
        let ancestry = try RevisionAncestry(of: id, text: history)
        return try site.store.write { writer in
            try writer.insert(
                RemoteRevision(
                    documentID: "doc",
                    revisionID: id,
                    history: ancestry.ids,
                    mergeCount: ancestry.mergeCount,
                    body: Array(#"{"from":"a peer"}"#.utf8),
                    refusesConflicts: true
                ),
                in: .default
            )
        }
    }

    /// Only a database that was never upgraded, or an older peer, would send one.
    @Test func `a tree ID for a document with version vectors is a conflict and changes nothing`()
        throws
    {
        let site = try site()
        try site.save("doc", #"{"v":1}"#)
        let before = try site.contents()
        for tree in ["1-aaaa", "4294967295-ffff"] {
            #expect(throws: StoreError.self) { try put(tree, into: site) }
        }
        #expect(try site.contents() == before)
    }

    @Test(arguments: [
        "0@VYU9gI0kQIWF+V5BljXDyA", "18e9af52a2ab0000@VYU9gI0kQIWF+V5BljXD",
        "18e9af52a2ab0000@VYU9gI0kQIWF+V5BljXDyB", "18e9af52a2ab0000@*",
    ])
    func `a version without a time or a source is invalid`(text: String) {
        #expect(RevisionID(ofAnyScheme: text) == nil)
    }

    @Test(arguments: [
        "18e9af52a2ab0000@rGxJD77SR0+odh7PeEHKXA; 18e9af52a2aa0000@rGxJD77SR0+odh7PeEHKXA",
        "18e9af52a2ab0000@rGxJD77SR0+odh7PeEHKXA; ; 18e9af52a2aa0000@CvCbSStby9JU4nkonRJyYw",
        "18e9af52a2ab0000@rGxJD77SR0+odh7PeEHKXA, 2-abcd;",
    ])
    func `a history with duplicate sources, two semicolons or merged tree IDs is refused`(
        history: String
    ) throws {
        let id = try #require(RevisionID(ofAnyScheme: "18e9af52b2ab0000@" + Self.foreign))
        #expect(throws: RevisionError.self) { try RevisionAncestry(of: id, text: history) }
    }

    /// Somebody copied the file with its source: later versions of this database must be distinguishable.
    @Test func `receiving an unknown version with our own source gives the database a new source`()
        throws
    {
        let site = try site()
        let source = site.store.source
        try site.save("own", "{}")
        let own = try #require(
            try site.revision("own").flatMap { RevisionID(ofAnyScheme: $0) }?.version
        )
        let later = try #require(Version(time: own.time + (1 << 30), source: source))
        _ = try put(later.description, into: site)
        try site.save("doc", #"{"v":2}"#)
        #expect(site.store.source != source)
        let next = try #require(
            try site.revision("doc").flatMap { RevisionID(ofAnyScheme: $0) }?.version
        )
        #expect(next.source == site.store.source && next.time > later.time)
    }

    /// First both have trees, then one is upgraded, then the other.
    @Test
    func `a peer that changed its revision scheme gets an error, and no data is lost`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("doc", #"{"v":1}"#)
        var run = Conversation.oneShot(.init(), here, there)
        #expect(run.error == nil)
        try here.store.upgradeToVersionVectors()
        try here.save("doc", #"{"v":2}"#)
        for version in [Subprotocol.version3, .version4] {
            run = Conversation.oneShot(.init(), here, there, subprotocol: version)
            #expect(run.transfers == [] && (run.error != nil || run.closeCode == 1002))
        }
        #expect(try there.body("doc") == #"{"v":1}"#)
        try there.store.upgradeToVersionVectors()
        run = Conversation.oneShot(.init(), here, there, subprotocol: .version4)
        #expect(run.error == nil && run.transfers == ["push doc"])
        #expect(try here.contents() == there.contents())
    }
}
