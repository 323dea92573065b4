import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A database of trees against one with version vectors: it pushes its own revision names, and nothing else.
@Suite struct TreePushTests {
    private func meet(
        _ here: Site,
        _ there: Site,
        pulls: Bool = false,
        _ subprotocol: Subprotocol = .version4
    ) -> Conversation {
        let options = Conversation.Options(pulls: pulls)
        var run = Conversation(options, here: here, there: there, subprotocol: subprotocol)
        run.resolve = { _ in .keepRemote }
        run.run()
        return run
    }

    /// Two databases of trees that are in sync, one of which was then upgraded.
    private func upgraded() throws -> (here: Site, there: Site) {
        let (here, there) = (try Site(), try Site())
        for name in ["edited", "deleted", "both"] {
            try here.save(DocumentID(unchecked: name), #"{"v":1}"#)
        }
        #expect(meet(here, there, .version3).failures == [])
        try there.store.upgradeToVersionVectors()
        return (here, there)
    }

    @Test func `edits, deletions and new documents keep their revision IDs`() throws {
        let (here, there) = try upgraded()
        try here.save("edited", #"{"v":2}"#)
        try here.save("edited", #"{"v":3}"#)
        try here.delete("deleted")
        try here.save("new", #"{"v":1}"#)
        let run = meet(here, there)
        #expect(run.closeCode == 1000 && run.failures == [])
        #expect(Set(run.transfers) == ["push edited", "push deleted", "push new"])
        #expect(try there.contents() == here.contents())
        #expect(meet(here, there).sentRevisionCount == 0)

        // What is then written there follows what was pushed.
        let edit = try there.save("edited", #"{"v":4}"#)
        let history = try there.store.read { try $0.revisions(of: "edited", in: .default) }
        let pushed = try #require(try here.revision("edited"))
        #expect(history?.text(of: edit).contains(pushed) == true)
    }

    @Test func `a document edited on both sides is refused and kept on both sides`() throws {
        let (here, there) = try upgraded()
        try here.save("both", #"{"v":"tree"}"#)
        try there.save("both", #"{"v":"vector"}"#)
        let (ours, theirs) = (try here.contents(), try there.contents())
        let run = meet(here, there)
        #expect(run.failures.map(\.documentID) == ["both"])
        #expect(run.failures.first?.error?.code == 409)
        #expect(try here.contents() == ours)
        #expect(try there.contents() == theirs)
        #expect(meet(here, there).sentRevisionCount == 0, "it is not sent again and again")

        // Once both have vectors, a resolver sees both sides.
        try here.store.upgradeToVersionVectors()
        #expect(meet(here, there, pulls: true).closeCode == 1000)
        #expect(try here.contents() == there.contents())
        #expect(try here.body("both") == #"{"v":"vector"}"#)
    }

    /// A revision for which another was given up reaches a peer without closed branches as a child of that peer's own.
    @Test func `the winner over the peer's revision is pushed as its child`() throws {
        let (here, there) = (try Site(), try Site())
        try here.put("doc", ["1-aa"], #"{"v":"here"}"#)
        try there.put("doc", ["1-bb"], #"{"v":"there"}"#)
        let options = Conversation.Options(pushes: false)
        var pull = Conversation(options, here: here, there: there)
        pull.resolve = { _ in .keepLocal }
        pull.run()
        #expect(try here.body("doc") == #"{"v":"here"}"#)
        try there.store.upgradeToVersionVectors()
        #expect(meet(here, there).failures == [])
        #expect(try there.body("doc") == #"{"v":"here"}"#)
        #expect(try there.contents() == here.contents())
    }

    @Test func `a pull from an upgraded database ends with an error and stores nothing`() throws {
        let (here, there) = try upgraded()
        try there.save("only there", "{}")
        let run = meet(here, there, pulls: true)
        #expect(run.closeCode == 1002)
        #expect(run.error != nil)
        #expect(try here.revision("only there") == nil)
    }
}
