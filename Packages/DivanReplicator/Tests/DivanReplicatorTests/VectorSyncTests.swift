import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// Databases of version vectors against each other, and after they were upgraded.
@Suite struct VectorSyncTests {
    private func site() throws -> Site { try Site(.inMemory(scheme: .vectors)) }

    private func meet(
        _ options: Conversation.Options = .init(),
        _ here: Site,
        _ there: Site,
        resolve: @escaping (StoredConflict) -> ConflictDecision = Self.winner
    ) -> Conversation {
        var run = Conversation(options, here: here, there: there, subprotocol: .version4)
        run.resolve = resolve
        run.run()
        return run
    }

    @Test func `documents, deletions and edits go both ways`() throws {
        let (here, there) = (try site(), try site())
        try here.save("a", #"{"from":"here"}"#)
        try there.save("b", #"{"from":"there"}"#)
        var run = meet(.init(), here, there)
        #expect(run.closeCode == 1000 && run.error == nil)
        #expect(Set(run.transfers) == ["push a", "pull b"])
        #expect(try here.contents() == there.contents())
        try here.save("b", #"{"from":"here, edited"}"#)
        try there.delete("a")
        run = meet(.init(usesDeltas: true), here, there)
        #expect(Set(run.transfers) == ["push b", "pull a"])
        #expect(run.failures == [])
        #expect(try here.contents() == there.contents())
        run = meet(.init(), here, there)
        #expect(run.transfers == [] && run.sentRevisionCount == 0)
    }

    @Test(arguments: [ConflictDecision.keepLocal, .keepRemote, .delete])
    func `a conflict ends alike on both sides`(decision: ConflictDecision) throws {
        let (here, there) = (try site(), try site())
        try here.save("doc", #"{"v":0}"#)
        _ = meet(.init(), here, there)
        try here.save("doc", #"{"v":"here"}"#)
        try there.save("doc", #"{"v":"there"}"#)
        var run = meet(.init(), here, there) { _ in decision }
        #expect(run.closeCode == 1000)
        run = meet(.init(), here, there) { _ in decision }
        #expect(try here.contents() == there.contents())
        #expect(try here.store.read { try $0.conflicts(in: .default) } == [])
        run = meet(.init(), here, there)
        #expect(run.sentRevisionCount == 0)
    }

    @Test func `a merge is newer than both sides, and has the base to merge from`() throws {
        let (here, there) = (try site(), try site())
        try here.save("doc", #"{"v":0}"#)
        _ = meet(.init(), here, there)
        try here.save("doc", #"{"v":1}"#)
        try there.save("doc", #"{"v":2}"#)
        var bases: [String] = []
        let run = meet(.init(), here, there) { conflict in
            bases.append(conflict.base.map { String(decoding: $0.body, as: UTF8.self) } ?? "none")
            return .merge(body: Array(#"{"v":3}"#.utf8), hasBlobs: false)
        }
        #expect(run.closeCode == 1000)
        _ = meet(.init(), here, there)
        #expect(bases == [#"{"v":0}"#])
        #expect(try there.body("doc") == #"{"v":3}"#)
        #expect(try here.contents() == there.contents())
    }

    @Test(arguments: UInt64(0)..<25)
    func `two peers and a listener end in one state`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sites = [try site(), try site(), try site()]
        for round in 0..<6 {
            for _ in 0..<6 { try edit(sites, round, &generator) }
            let client = sites[Int.random(in: 0...1, using: &generator)]
            var run = Conversation(
                .init(isContinuous: Bool.random(using: &generator), usesDeltas: seed % 2 == 0),
                here: client,
                there: sites[2],
                subprotocol: .version4
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
        for _ in 0..<4 {
            for client in sites.prefix(2) {
                let run = meet(.init(usesDeltas: seed % 2 == 0), client, sites[2])
                #expect(run.closeCode == 1000 && run.failures == [], "seed \(seed)")
            }
        }
        let contents = try sites.map { try $0.contents() }
        for (id, expected) in contents[2] {
            let found = try histories(id, sites)
            #expect(contents[0][id] == expected, "seed \(seed) \(found)")
            #expect(contents[1][id] == expected, "seed \(seed) \(found)")
        }
        #expect(contents[0] == contents[2] && contents[1] == contents[2], "seed \(seed)")
    }

    @Test func `peers that were in step and are upgraded move nothing, and go on`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<50 {
            try here.save(DocumentID(unchecked: "doc\(number)"), #"{"n":\#(number)}"#)
        }
        var run = Conversation.oneShot(.init(), here, there)
        #expect(run.transfers.count == 50)
        try here.save("pending", #"{"since":"before"}"#)
        try here.store.upgradeToVersionVectors()
        try there.store.upgradeToVersionVectors()
        run = meet(.init(), here, there)
        #expect(run.closeCode == 1000 && run.transfers == ["push pending"])
        try here.save("doc1", #"{"n":"edited here"}"#)
        try there.save("doc2", #"{"n":"edited there"}"#)
        run = meet(.init(), here, there)
        #expect(Set(run.transfers) == ["push doc1", "pull doc2"] && run.failures == [])
        #expect(try here.contents() == there.contents())
    }

    @Test func `peers of different schemes do not talk`() throws {
        let (here, there) = (try site(), try Site())
        try here.save("doc", "{}")
        for version in [Subprotocol.version3, .version4] {
            let run = Conversation.oneShot(.init(), here, there, subprotocol: version)
            #expect(run.closeCode == 1002 || run.error != nil)
        }
        #expect(try there.contents() == [:])
        #expect(Conversation.Options().active.choose(from: ["BLIP_3+CBMobile_4"]) == nil)
    }

    /// What each side knows of a document, for a failure.
    private func histories(_ id: DocumentID, _ sites: [Site]) throws -> String {
        try sites.map { site in
            let found = try site.store.read { try $0.revisions(of: id, in: .default) }
            let history = found as? VectorHistory
            return (history?.known ?? []).map { mixed, revision in
                "\(mixed) \(revision.flags.rawValue) \(revision.sequence)"
            }.joined(separator: " / ")
        }.joined(separator: "\n")
    }

    private func edit(
        _ sites: [Site],
        _ round: Int,
        _ generator: inout SeededGenerator
    ) throws {
        let index = Int.random(in: 0..<3, using: &generator)
        let name = DocumentID(unchecked: "doc\(Int.random(in: 0..<5, using: &generator))")
        let site = sites[index]
        if Int.random(in: 0..<5, using: &generator) == 0, try site.body(name) != nil {
            try site.delete(name)
        } else {
            let number = Int.random(in: 0..<1_000, using: &generator)
            let text = String(repeating: "long enough for a delta ", count: 10)
            try site.save(
                name,
                #"{"by":\#(index),"n":\#(number),"round":\#(round),"text":"\#(text)"}"#
            )
        }
    }

    /// The rule of the default resolver, as both clients must agree.
    private static func winner(_ conflict: StoredConflict) -> ConflictDecision {
        if conflict.remote.isTombstone { return .keepRemote }
        if conflict.local.isTombstone { return .keepLocal }
        return conflict.local.revisionID > conflict.remote.revisionID ? .keepLocal : .keepRemote
    }
}
