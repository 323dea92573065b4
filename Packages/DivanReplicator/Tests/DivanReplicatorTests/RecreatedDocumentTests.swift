import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A document that was pushed, then purged and recreated: the peer has a revision of it that will not be announced any
/// more, because the pull has passed it.
@Suite struct RecreatedDocumentTests {
    @Test(arguments: [true, false])
    func `a recreated document conflicts with the revision of the peer`(isContinuous: Bool) throws {
        let (here, there) = (try Site(), try Site())
        var options = Conversation.Options()
        options.isContinuous = isContinuous
        try here.save("a", #"{"v":"first"}"#)
        try here.save("b", #"{"v":"other"}"#)
        var first = Conversation(options, here: here, there: there)
        first.run()
        try there.save("c", #"{"v":"behind it"}"#)
        first.run()
        if !isContinuous { _ = Conversation.oneShot(options, here, there) }
        let theirs = try there.revision("a")
        try here.purge("a")
        try here.save("a", #"{"v":"anew"}"#)

        var second = isContinuous ? first : Conversation(options, here: here, there: there)
        second.resolve = { _ in .keepRemote }
        second.run()
        #expect(try here.revision("a") == theirs)
        #expect(try here.contents() == there.contents())
        #expect(second.failures == [])
        let third = Conversation.oneShot(.init(), here, there)
        #expect(third.transfers == [])
    }

    @Test func `a recreated document can win the conflict`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"v":"first"}"#)
        _ = Conversation.oneShot(.init(), here, there)
        _ = Conversation.oneShot(.init(), here, there)
        try here.purge("a")
        try here.save("a", #"{"v":"anew"}"#)
        var run = Conversation(.init(), here: here, there: there)
        run.resolve = { _ in .keepLocal }
        run.run()
        #expect(try there.body("a") == #"{"v":"anew"}"#)
        #expect(try here.contents() == there.contents())
    }
}
