import DivanCrypto
import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

@testable import DivanReplicator

/// Copies of a checkpoint that record the saves from which they originate.
@Suite struct CheckpointLineageTests {
    private let random = SystemRandomSource()

    private func saved(_ count: Int, after start: CheckpointLineage = .init()) -> CheckpointLineage
    {
        var lineage = start
        for _ in 0..<count { lineage.advance(random) }
        return lineage
    }

    private func stored(_ lineage: CheckpointLineage) -> CheckpointLineage {
        CheckpointLineage(json: Checkpoint().json(time: 7, lineage: lineage))
    }

    @Test func `an earlier checkpoint of the same lineage is recognized, also after encoding`() {
        let first = saved(1)
        let later = saved(5, after: first)
        #expect(stored(later) == later)
        #expect(stored(first).isRelated(to: stored(later)))
        #expect(stored(later).isRelated(to: stored(first)))
        #expect(later.met(later) == later)
    }

    @Test func `a lineage restored from a backup is unrelated to the later checkpoint it replaces`()
    {
        let backup = saved(3)
        let lost = saved(2, after: backup)
        let later = saved(1, after: backup.met(lost))
        #expect(lost.met(backup) == backup.met(lost))
        #expect(backup.isRelated(to: later), "all of it is in both")
        #expect(!lost.isRelated(to: later))
        #expect(!saved(1).isRelated(to: saved(1)))
    }

    @Test func `a checkpoint without a lineage is related to every other`() {
        #expect(CheckpointLineage().isRelated(to: saved(4)))
        #expect(stored(CheckpointLineage()) == CheckpointLineage())
        let text = String(decoding: Checkpoint().json(time: 7), as: UTF8.self)
        #expect(text == #"{"time":7}"#)
    }

    @Test func `the oldest parts of a lineage are dropped`() {
        var lineage = saved(1)
        let first = lineage
        for _ in 0..<20 { lineage = saved(1, after: lineage.met(saved(1, after: lineage))) }
        let body = String(decoding: Checkpoint().json(time: 0, lineage: lineage), as: UTF8.self)
        #expect(body.split(separator: ",").count == 1 + 2 * CheckpointLineage.stretchesCount)
        #expect(!first.isRelated(to: lineage))
    }

    @Test(arguments: [
        "7", "[]", "[1]", #"["aa"]"#, #"["aa",0]"#, #"["aa",-1]"#, #"["aa",9007199254740993]"#,
        #"["xy",1]"#, #"["aa",1.5]"#, #"["11111111111111111",1]"#, "null", #"{"aa":1}"#,
    ])
    func `an invalid lineage is treated as missing`(line: String) {
        let lineage = CheckpointLineage(json: Array(#"{"line":\#(line)}"#.utf8))
        #expect(lineage == CheckpointLineage())
    }

    @Test func `a lineage continues after its counter is full`() {
        var lineage = CheckpointLineage(json: Array(#"{"line":["aa",9007199254740992]}"#.utf8))
        let full = lineage
        lineage.advance(random)
        #expect(full.isRelated(to: lineage) && full != lineage)
    }

    /// The peer used its first sequence twice, and the copies of the checkpoint are equal.
    @Test func `a restored database whose peer was also restored gets all documents`() throws {
        let directory = try TemporaryDirectory()
        let (file, copy) = (directory.file("a.cblite2"), directory.file("copy"))
        var here = try Site(Store.open(directory: file))
        let there = try Site()
        try there.save("one", "{}")
        #expect(Conversation.oneShot(.init(), here, there).transfers == ["pull one"])
        try here.store.close()
        try FileManager.default.copyItem(atPath: file, toPath: copy)

        here = try Site(Store.open(directory: file))
        let restored = try Site()  // to what it was before `one`
        try restored.save("two", "{}")
        let run = Conversation.oneShot(.init(pushes: false), here, restored)
        #expect(run.transfers == ["pull two"])
        try here.store.close()
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: copy, toPath: file)

        here = try Site(Store.open(directory: file))
        let again = Conversation.oneShot(.init(pushes: false), here, restored)
        #expect(again.transfers == ["pull two"])
        try here.store.close()
    }

    /// The usual case, which needs no lineage: an answer was lost.
    @Test func `a saved checkpoint whose reply was lost causes no transfers`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("one", "{}")
        #expect(Conversation.oneShot(.init(), here, there).failures == [])
        try there.save("two", "{}")
        var run = Conversation(.init(), here: here, there: there)
        let before = try there.store.read { try $0.peerCheckpoints().map(\.1) }
        while try there.store.read({ try $0.peerCheckpoints().map(\.1) }) == before, run.step() {}
        run.cut()
        let mine = try #require(try here.store.read { try $0.localCheckpoints().first?.body })
        let theirs = try #require(try there.store.read { try $0.peerCheckpoints().first?.1.body })
        #expect(mine != theirs)
        #expect(CheckpointLineage(json: mine).isRelated(to: CheckpointLineage(json: theirs)))
        let next = Conversation.oneShot(.init(), here, there)
        #expect(next.transfers == [] && next.failures == [])
        #expect(Conversation.oneShot(.init(), here, there).transfers == [])
    }
}
