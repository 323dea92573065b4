import DivanReplicator
import DivanRevisions
import DivanTestKit
import Testing

/// Random edits, random delivery, random cuts, with and without deltas: in the end all sides contain the same.
@Suite struct ConvergenceTests {
    @Test(arguments: UInt64(0)..<TestLength.of(6, long: 25))
    func `two peers and a listener converge`(seed: UInt64) throws {
        let sites = [try Site(), try Site(), try Site()]
        let meetings = RandomMeetings(sites: sites, seed: seed)
        try meetings.wander()
        for run in meetings.settle() {
            #expect(run.closeCode == 1000 && run.failures == [], "seed \(seed)")
        }
        #expect(try sites[0].contents() == sites[2].contents(), "seed \(seed)")
        #expect(try sites[1].contents() == sites[2].contents(), "seed \(seed)")
    }

    /// The one in the middle deletes what the hub still has, and receives another document with that name before it
    /// meets the hub again: neither descends from the other.
    @Test func `a document recreated after a deletion reaches a peer that missed the deletion`()
        throws
    {
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
}
