import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Complete one-shot replications between two databases in memory.
@Suite struct PushPullTests {
    @Test func `a push sends every document to the peer`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"n":1}"#)
        try here.save("b", #"{"n":1}"#)
        try here.save("b", #"{"n":2}"#)
        try here.save("gone", "{}")
        try here.delete("gone")

        let run = Conversation.oneShot(.init(pulls: false), here, there)

        #expect(run.closeCode == 1000)
        #expect(run.error == nil)
        #expect(try there.contents() == here.contents())
        #expect(run.transfers == ["push a", "push b", "push gone"])
        #expect(run.statuses.last?.activity == .stopped)
    }

    @Test func `a pull gets every document from the peer`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("a", #"{"n":1}"#)
        try there.save("b", #"{"n":1}"#)
        try there.save("b", #"{"n":2}"#)

        let run = Conversation.oneShot(.init(pushes: false), here, there)

        #expect(run.closeCode == 1000)
        #expect(run.error == nil)
        #expect(try there.contents() == here.contents())
        #expect(run.transfers == ["pull a", "pull b"])
    }

    @Test func `the first pull skips tombstones and later pulls get them`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("a", #"{"n":1}"#)
        try there.save("old", "{}")
        try there.delete("old")
        _ = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(try here.contents().keys.sorted() == ["a"])

        try there.delete("a")
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(try here.body("a") == nil)
        #expect(run.transfers == ["pull old", "pull a"])
        #expect(run.activeEvents.allSatisfy { $0.flags == .deleted })
    }

    /// A document that is created later under the ID of a deleted one then follows the deletion.
    ///
    /// No other writer creates one under a generated ID.
    @Test func `the first pull of version vectors gets tombstones from a Divan peer`() throws {
        let sites = try (0..<2).map { _ in try Site(.inMemory(scheme: .vectors)) }
        let (here, there) = (sites[0], sites[1])
        try there.save("a", #"{"n":1}"#)
        for name: DocumentID in ["old", "f47ac10b-58cc-4372-a567-0e02b2c3d479"] {
            try there.save(name, "{}")
            try there.delete(name)
        }
        var run = Conversation(
            .init(pushes: false),
            here: here,
            there: there,
            subprotocol: .version4
        )
        run.run()
        #expect(run.transfers == ["pull a", "pull old"])
        #expect(try here.revision("old") == there.revision("old"))
        #expect(try here.body("old") == nil)
    }

    @Test func `one connection syncs both directions`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("mine", #"{"n":1}"#)
        try there.save("theirs", #"{"n":2}"#)

        let run = Conversation.oneShot(.init(), here, there)

        #expect(run.closeCode == 1000)
        #expect(try there.contents() == here.contents())
        #expect(run.transfers.sorted() == ["pull theirs", "push mine"])
    }

    @Test func `pushed documents are not compared again in the next run`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("theirs", "{}")
        for number in 0..<1_000 {
            try here.save(DocumentID(unchecked: "mine\(number)"), #"{"n":\#(number)}"#)
        }
        _ = Conversation.oneShot(.init(), here, there)
        let second = Conversation.oneShot(.init(), here, there)
        #expect(second.transfers == [])
        #expect(second.byteCount < 1_200)

        try there.save("mine7", #"{"n":"theirs"}"#)
        #expect(Conversation.oneShot(.init(), here, there).transfers == ["pull mine7"])
    }

    @Test func `changes by others between our own pushes are pulled`() throws {
        let (here, there, other) = (try Site(), try Site(), try Site())
        for number in 0..<20 {
            try here.save(DocumentID(unchecked: "mine\(number)"), "{}")
            _ = Conversation.oneShot(.init(), here, there)
            try other.save(DocumentID(unchecked: "other\(number)"), "{}")
            if number % 3 == 0 {
                try other.save(DocumentID(unchecked: "mine\(number)"), #"{"n":2}"#)
            }
            _ = Conversation.oneShot(.init(), other, there)
        }
        _ = Conversation.oneShot(.init(), here, there)
        #expect(try here.contents() == there.contents())
        #expect(try here.contents().count == 40)
    }

    @Test func `a second run transfers nothing`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<30 {
            try here.save(DocumentID(unchecked: "mine\(number)"), #"{"n":\#(number)}"#)
            try there.save(DocumentID(unchecked: "theirs\(number)"), #"{"n":\#(number)}"#)
        }
        _ = Conversation.oneShot(.init(), here, there)
        let second = Conversation.oneShot(.init(), here, there)
        let third = Conversation.oneShot(.init(), here, there)

        #expect(second.transfers == [])
        #expect(third.transfers == [])
        #expect(third.closeCode == 1000)
        // getCollections, subChanges, proposeChanges, changes and their answers.
        #expect(third.frameCount < 12)
    }

    @Test func `many documents are sent in several lists`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<1_050 {
            try here.save(DocumentID(unchecked: "doc\(number)"), #"{"n":\#(number)}"#)
        }
        _ = Conversation.oneShot(.init(pulls: false), here, there)
        #expect(try there.contents() == here.contents())

        let third = try Site()
        _ = Conversation.oneShot(.init(pushes: false), third, there)
        #expect(try third.contents() == here.contents())
    }

    @Test func `an update continues from the revision that the peer has`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"n":1}"#)
        _ = Conversation.oneShot(.init(), here, there)
        try here.save("a", #"{"n":2}"#)
        _ = Conversation.oneShot(.init(), here, there)
        try there.save("a", #"{"n":3}"#)
        _ = Conversation.oneShot(.init(), here, there)

        #expect(try here.body("a") == #"{"n":3}"#)
        #expect(try there.contents() == here.contents())
    }

    @Test(arguments: [false, true])
    func `legacy mode syncs the same documents`(compresses: Bool) throws {
        let (here, there) = (try Site(), try Site())
        try here.save("mine", #"{"n":1}"#)
        try there.save("theirs", #"{"n":2}"#)
        var options = Conversation.Options()
        options.compresses = compresses
        let run = Conversation.oneShot(options, here, there, subprotocol: .version2)
        #expect(run.error == nil)
        #expect(run.closeCode == 1000)
        #expect(try there.contents() == here.contents())
        #expect(Conversation.oneShot(options, here, there, subprotocol: .version2).transfers == [])
    }
}
