import DivanBLIP
import DivanRevisions
import Testing

@testable import DivanReplicator

/// Lists of proposals for which a peer has to wait.
@Suite struct WaitingProposalsTests {
    /// Each wait had caused two hundred entries to be judged for one answer.
    @Test func `adding a waiting entry checks only a few other entries again`() throws {
        var client = Counterpart.client(try Site())
        client.ask("subChanges", ["collection": "0"])
        let entry = ProposalMessage.Entry(documentID: "a", revisionID: RevisionID("1-aa"))
        let request = try client.take("changes")
        var list = WaitingProposals.List(Array(repeating: entry, count: 500), request)
        #expect(list.next(atMost: 200).count == 200)
        var judgedCount = 0
        while list.answers.count < 100 {
            let next = list.next(atMost: 200)
            judgedCount += next.count
            if next.count == 1 {
                list.take([.accepted])
            } else {
                list.suspend(after: [])
            }
        }
        #expect(judgedCount <= 200 + 3 * 100)
        for _ in 0..<7 {
            let next = list.next(atMost: 200)
            list.take(Array(repeating: .accepted, count: next.count))
        }
        #expect(list.next(atMost: 200).count == 146, "and all that is left where none has to")
        #expect(!list.isJudged)
    }
}
