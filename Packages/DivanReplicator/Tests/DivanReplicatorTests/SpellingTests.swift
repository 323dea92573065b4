import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Documents whose IDs are equivalent in Unicode, transferred in both directions.
@Suite struct SpellingTests {
    private static let spellings: [DocumentID] = ["A\u{30A}", "\u{C5}", "\u{212B}"]

    private func filled(_ word: String = "base") throws -> Site {
        let site = try Site()
        for id in Self.spellings { try site.save(id, #"{"word":"\#(word)"}"#) }
        return site
    }

    @Test(arguments: [true, false])
    func `three Unicode spellings of an ID sync as three documents`(isPush: Bool) throws {
        let (full, empty) = (try filled(), try Site())
        let run =
            isPush
            ? Conversation.oneShot(.init(pulls: false), full, empty)
            : Conversation.oneShot(.init(pushes: false), empty, full)
        #expect(run.error == nil)
        #expect(run.failures == [])
        #expect(run.transfers.count == 3)
        #expect(try empty.contents().count == 3)
        #expect(try empty.contents() == full.contents())

        for id in Self.spellings { try full.save(id, #"{"word":"edited"}"#) }
        let again =
            isPush
            ? Conversation.oneShot(.init(pulls: false), full, empty)
            : Conversation.oneShot(.init(pushes: false), empty, full)
        #expect(again.transfers.count == 3)
        #expect(try empty.contents() == full.contents())
    }

    @Test(arguments: [true, false], Self.spellings)
    func `a list of document IDs matches the exact Unicode spelling`(
        isPush: Bool,
        wanted: DocumentID
    ) throws {
        let (full, empty) = (try filled(), try Site())
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.documentIDs = [wanted]
        var options = Conversation.Options(pushes: isPush, pulls: !isPush)
        options.collections = [collection]
        _ =
            isPush
            ? Conversation.oneShot(options, full, empty)
            : Conversation.oneShot(options, empty, full)
        #expect(Array(try empty.contents().keys) == [wanted])
    }

    /// Other implementations allow more than can be created here.
    @Test(arguments: [true, false])
    func `an ID that is invalid for new documents is stored and forwarded if received`(
        isPush: Bool
    ) throws {
        let (full, empty) = (try Site(), try Site())
        let ids = ["a\nb", "\u{7F}", String(repeating: "x", count: 255)].map {
            DocumentID(unchecked: $0)
        }
        for id in ids { try full.save(id, "{}") }
        let run =
            isPush
            ? Conversation.oneShot(.init(pulls: false), full, empty)
            : Conversation.oneShot(.init(pushes: false), empty, full)
        #expect(run.failures == [])
        #expect(try empty.contents() == full.contents())
        #expect(try empty.contents().count == 3)
    }

    @Test func `conflicts of all three spellings are resolved`() throws {
        let here = try filled()
        let there = try Site()
        _ = Conversation.oneShot(.init(), here, there)
        for (number, id) in Self.spellings.enumerated() {
            try here.save(id, #"{"here":\#(number)}"#)
            try there.save(id, #"{"there":\#(number)}"#)
        }
        var run = Conversation(.init(), here: here, there: there)
        var settled: [DocumentID] = []
        run.resolve = { conflict in
            settled.append(conflict.documentID)
            return .keepLocal
        }
        run.run()
        #expect(run.failures == [])
        #expect(settled.sorted() == Self.spellings)
        #expect(try here.contents() == there.contents())
        for (number, id) in Self.spellings.enumerated() {
            #expect(try there.body(id) == #"{"here":\#(number)}"#)
        }
    }

    /// Equal bodies have equal revision IDs, so only the document ID distinguishes the echo from news.
    @Test func `a change of one spelling is not mistaken for an echo of another`() throws {
        let (here, there) = (try Site(), try Site())
        var run = Conversation(.init(isContinuous: true), here: here, there: there)
        run.run()
        try here.save(Self.spellings[0], #"{"word":"same"}"#)
        while try there.body(Self.spellings[0]) == nil, run.step() {}
        try there.save(Self.spellings[1], #"{"word":"same"}"#)
        run.run()
        #expect(try here.body(Self.spellings[1]) == #"{"word":"same"}"#)
        #expect(try here.contents() == there.contents())
    }

    @Test func `concurrent edits of all three spellings are synced`() throws {
        let (here, there) = (try filled(), try filled("other"))
        var run = Conversation(.init(isContinuous: true), here: here, there: there)
        for round in 0..<20 {
            for id in Self.spellings { try here.save(id, #"{"round":\#(round)}"#) }
            _ = run.step()
        }
        run.run()
        #expect(run.failures == [])
        #expect(try here.contents() == there.contents())
    }
}
