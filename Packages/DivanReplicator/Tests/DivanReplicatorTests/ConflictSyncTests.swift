import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// The same document changed on both sides.
@Suite struct ConflictSyncTests {
    /// Two databases that agree on `a` and then diverge.
    private func parted() throws -> (here: Site, there: Site) {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"v":"base"}"#)
        _ = Conversation.oneShot(.init(), here, there)
        try here.save("a", #"{"v":"here"}"#)
        try there.save("a", #"{"v":"there"}"#)
        return (here, there)
    }

    @Test(
        arguments: [
            (ConflictDecision.keepLocal, #"{"v":"here"}"#), (.keepRemote, #"{"v":"there"}"#),
            (.merge(body: Array(#"{"v":"both"}"#.utf8), hasBlobs: false), #"{"v":"both"}"#),
            (.delete, nil),
        ] as [(ConflictDecision, String?)]
    )
    func `both sides end with the result of the resolver`(
        decision: ConflictDecision,
        body: String?
    ) throws {
        let (here, there) = try parted()
        var run = Conversation(.init(), here: here, there: there)
        run.resolve = { _ in decision }
        run.run()

        #expect(run.closeCode == 1000)
        #expect(run.failures == [])
        let pulled = run.activeEvents.filter { !$0.isPush }
        #expect(pulled.map(\.flags) == [body == nil ? .deleted : []])
        #expect(try here.body("a") == body)
        #expect(try there.contents() == here.contents())
    }

    @Test func `a push reports the conflict and changes neither side`() throws {
        let (here, there) = try parted()
        let run = Conversation.oneShot(.init(pulls: false), here, there)
        #expect(run.failures.map(\.error?.code) == [409])
        #expect(run.closeCode == 1000)
        #expect(try here.body("a") == #"{"v":"here"}"#)
        #expect(try there.body("a") == #"{"v":"there"}"#)
    }

    @Test func `the same edit on both sides is not a conflict`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"v":1}"#)
        try there.save("a", #"{"v":1}"#)
        var run = Conversation(.init(), here: here, there: there)
        run.resolve = { _ in .delete }
        run.run()
        #expect(try here.body("a") == #"{"v":1}"#)
        #expect(run.failures == [])
    }

    @Test func `a remote deletion and a local edit are passed to the resolver`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"v":"base"}"#)
        _ = Conversation.oneShot(.init(), here, there)
        try here.save("a", #"{"v":"here"}"#)
        try there.delete("a")
        var run = Conversation(.init(), here: here, there: there)
        run.resolve = { conflict in
            #expect(conflict.remote.isTombstone)
            return .keepLocal
        }
        run.run()
        #expect(try there.body("a") == #"{"v":"here"}"#)
        #expect(try there.contents() == here.contents())
    }

    @Test func `a replication waits for a slow resolver and reports the document once`() throws {
        let (here, there) = try parted()
        var run = Conversation(.init(), here: here, there: there)
        run.holdsConflicts = true
        run.run()
        #expect(run.closeCode == nil)
        #expect(run.held.map(\.documentID) == ["a"])
        #expect(run.transfers == [])

        run.resolveHeld()
        run.run()
        #expect(run.closeCode == 1000)
        #expect(run.transfers.sorted() == ["pull a", "push a"])
        #expect(try there.contents() == here.contents())
    }

    @Test func `an unresolved conflict is passed to the resolver at the next start`() throws {
        let (here, there) = try parted()
        var run = Conversation(.init(), here: here, there: there)
        run.holdsConflicts = true
        run.run()
        run.cut()

        let next = Conversation.oneShot(.init(), here, there)
        #expect(next.closeCode == 1000)
        #expect(try here.body("a") == #"{"v":"here"}"#)
        #expect(try there.contents() == here.contents())
    }

    @Test func `unresolved conflicts are all passed to the resolver, a few at a time`() throws {
        let (here, there) = (try Site(), try Site())
        let documentIDs = (1...7).map { DocumentID(unchecked: "d\($0)") }
        for id in documentIDs {
            try here.save(id, #"{"v":"here"}"#)
            try there.save(id, #"{"v":"there"}"#)
        }
        var run = Conversation(.init(), here: here, there: there)
        run.holdsConflicts = true
        run.run()
        #expect(run.held.count == 7)
        run.cut()

        var options = Conversation.Options()
        options.limits.unresolvedConflictsCount = 4
        var next = Conversation(options, here: here, there: there)
        next.holdsConflicts = true
        next.run()
        var seen: [DocumentID] = []
        while !next.held.isEmpty, seen.count < 20 {
            #expect(next.held.count <= 2, "half of the bound")
            #expect(next.closeCode == nil, "it waits for the rest")
            seen += next.held.map(\.documentID)
            next.resolveHeld()
            next.run()
        }
        #expect(seen == documentIDs)
        #expect(next.closeCode == 1000)
        #expect(try here.store.read { try $0.conflicts(in: .default) } == [])
        #expect(try there.contents() == here.contents())
    }

    @Test func `a document created on both sides is one conflict`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"v":"here"}"#)
        try there.save("a", #"{"v":"there"}"#)
        let run = Conversation.oneShot(.init(), here, there)
        #expect(run.failures == [])
        #expect(try here.body("a") == #"{"v":"here"}"#)
        #expect(try there.contents() == here.contents())
    }
}
