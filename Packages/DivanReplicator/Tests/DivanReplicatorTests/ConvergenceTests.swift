import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// Random edits, random delivery, random cuts, with and without deltas: in the end all sides hold
/// the same.
@Suite struct ConvergenceTests {
    @Test(arguments: UInt64(0)..<25)
    func `two peers and a listener end in one state`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sites = [try Site(), try Site(), try Site()]
        for round in 0..<6 {
            for _ in 0..<6 { try edit(sites, round, &generator) }
            let client = sites[Int.random(in: 0...1, using: &generator)]
            var run = Conversation(
                .init(isContinuous: Bool.random(using: &generator), usesDeltas: seed % 2 == 0),
                here: client,
                there: sites[2]
            )
            run.generator = generator
            run.resolve = Self.winner
            for _ in 0..<Int.random(in: 0..<40, using: &generator) where run.closeCode == nil {
                _ = run.step()
                if Int.random(in: 0..<8, using: &generator) == 0 {
                    try edit(sites, round, &generator)
                }
            }
            run.cut()
        }
        try settle(sites, seed: seed)
        #expect(try sites[0].contents() == sites[2].contents(), "seed \(seed)")
        #expect(try sites[1].contents() == sites[2].contents(), "seed \(seed)")
    }

    /// The one in the middle deletes what the hub still has, and takes another document of that name
    /// before it meets the hub again: neither descends from the other.
    @Test func `what came after a deletion reaches a peer that missed the deletion`() throws {
        let (hub, middle, edge) = (try Site(), try Site(), try Site())
        try hub.save("doc", #"{"by":"hub"}"#)
        try meet(middle, hub)
        try middle.delete("doc")
        try edge.save("doc", #"{"by":"edge"}"#)
        try meet(edge, middle)
        try meet(middle, hub)
        #expect(try hub.body("doc") == #"{"by":"edge"}"#)
        #expect(try hub.contents() == middle.contents())
    }

    private func meet(_ client: Site, _ server: Site) throws {
        var run = Conversation(.init(), here: client, there: server)
        run.run()
        #expect(run.closeCode == 1000)
        #expect(run.failures == [])
    }

    /// Each client in turn until nothing moves.
    private func settle(_ sites: [Site], seed: UInt64) throws {
        for _ in 0..<4 {
            for client in sites.prefix(2) {
                var run = Conversation(
                    .init(usesDeltas: seed % 2 == 0),
                    here: client,
                    there: sites[2]
                )
                run.resolve = Self.winner
                run.run()
                #expect(run.closeCode == 1000, "seed \(seed)")
                #expect(run.failures == [], "seed \(seed)")
            }
        }
    }

    private func edit(
        _ sites: [Site],
        _ round: Int,
        _ generator: inout SeededGenerator
    ) throws {
        let index = Int.random(in: 0..<3, using: &generator)
        let name = "doc\(Int.random(in: 0..<5, using: &generator))"
        let site = sites[index]
        if Int.random(in: 0..<5, using: &generator) == 0,
            try site.body(DocumentID(unchecked: name)) != nil
        {
            try site.delete(DocumentID(unchecked: name))
        } else {
            let number = Int.random(in: 0..<1_000, using: &generator)
            let text = String(repeating: "long enough for a delta ", count: 10)
            let body = #"{"by":\#(index),"n":\#(number),"round":\#(round),"text":"\#(text)"}"#
            try site.save(DocumentID(unchecked: name), body)
        }
    }

    /// The rule of the default resolver, as both clients must agree.
    private static func winner(_ conflict: StoredConflict) -> ConflictDecision {
        if conflict.remote.isTombstone { return .keepRemote }
        if conflict.local.isTombstone { return .keepLocal }
        return conflict.local.revisionID > conflict.remote.revisionID ? .keepLocal : .keepRemote
    }
}
