import DivanBLIP
import DivanRevisions
import Testing

// Queues are internal to the engine.
@testable import DivanReplicator

/// Limits that depend on each other.
@Suite struct LimitsTests {
    @Test(arguments: [ReplicatorLimits(), .inProcess])
    func `the limits always leave room for requested revisions`(_ limits: ReplicatorLimits) {
        #expect(limits.parkedRevisionsCount > limits.requestedRevisionsCount)
        #expect(limits.requestedRevisionsCount >= limits.unansweredRevisionsCount)
        #expect(limits.announcedByteCount > limits.documentByteCount)
    }

    @Test func `a queue returns the items within the limit, and always the first`() {
        var line = FIFOQueue<Int>()
        for weight in [5, 5, 5, 90, 1, 1] { line.append(weight) }
        #expect(line.popFirst(atMost: 32, within: 11, weighing: \.self) == [5, 5, 5])
        #expect(line.popFirst(atMost: 32, within: 10, weighing: \.self) == [90])
        #expect(line.popFirst(atMost: 1, within: 10, weighing: \.self) == [1])
        #expect(line.popFirst(atMost: 2) == [1])
        #expect(line.popFirst(atMost: 2) == [])
    }

    /// 32 of the largest at once exceed what a peer accepts in incomplete messages.
    @Test(arguments: [true, false])
    func `large documents are sent one after the other`(isPush: Bool) throws {
        let site = try Site()
        let body = #"{"a":""# + String(repeating: "x", count: 100_000) + #""}"#
        for number in 0..<40 { try site.save(DocumentID(unchecked: "\(number)"), body) }
        var options = Conversation.Options(pulls: false)
        options.limits.unansweredByteCount = 250_000
        var peer: Counterpart
        if isPush {
            peer = try Counterpart.server(site, options)
            try peer.answer("proposeChanges", "[]")
        } else {
            peer = Counterpart.client(site, options)
            peer.ask("subChanges", ["collection": "0"])
            let wanted = [String](repeating: "[]", count: 40).joined(separator: ",")
            try peer.answer("changes", "[\(wanted)]")
        }
        for _ in 0..<40 {
            let underway = peer.requests.count { $0.profile == "rev" }
            #expect((1...3).contains(underway))
            try peer.answer("rev")
        }
    }
}
