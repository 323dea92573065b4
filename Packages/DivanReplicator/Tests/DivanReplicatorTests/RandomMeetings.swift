import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit

/// Two clients and a listener, the last of `sites`: random edits, random delivery, random cuts, with deltas for every
/// other seed.
struct RandomMeetings {
    let sites: [Site]
    let seed: UInt64
    var subprotocol = Subprotocol.version3

    /// Six rounds of edits, each with a conversation that is cut.
    func wander() throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<6 {
            for _ in 0..<6 { try edit(round, &generator) }
            var run = Conversation(
                .init(isContinuous: Bool.random(using: &generator), usesDeltas: seed % 2 == 0),
                here: sites[Int.random(in: 0...1, using: &generator)],
                there: sites[2],
                subprotocol: subprotocol
            )
            run.generator = generator
            run.resolve = Self.winner
            for _ in 0..<Int.random(in: 0..<40, using: &generator) where run.closeCode == nil {
                _ = run.step()
                if Int.random(in: 0..<8, using: &generator) == 0 { try edit(round, &generator) }
            }
            run.cut()
        }
    }

    /// Runs each client in turn until nothing changes; returns all conversations.
    func settle() -> [Conversation] {
        (0..<4).flatMap { _ in
            sites.prefix(2).map { client in
                var run = Conversation(
                    .init(usesDeltas: seed % 2 == 0),
                    here: client,
                    there: sites[2],
                    subprotocol: subprotocol
                )
                run.resolve = Self.winner
                run.run()
                return run
            }
        }
    }

    private func edit(_ round: Int, _ generator: inout SeededGenerator) throws {
        let index = Int.random(in: 0..<3, using: &generator)
        let name = DocumentID(unchecked: "doc\(Int.random(in: 0..<5, using: &generator))")
        let site = sites[index]
        if Int.random(in: 0..<5, using: &generator) == 0, try site.body(name) != nil {
            try site.delete(name)
        } else {
            let number = Int.random(in: 0..<1_000, using: &generator)
            let text = String(repeating: "long enough for a delta ", count: 10)
            let body = #"{"by":\#(index),"n":\#(number),"round":\#(round),"text":"\#(text)"}"#
            try site.save(name, body)
        }
    }

    /// The rule of the default resolver, by which both clients must agree.
    static func winner(_ conflict: StoredConflict) -> ConflictDecision {
        conflict.precedence.remote < conflict.precedence.local ? .keepLocal : .keepRemote
    }
}
