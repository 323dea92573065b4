import DivanCrypto
import DivanJSON
import DivanRevisions
import DivanStore
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

    @Test func `an earlier save of a line is known as such, and goes through JSON`() {
        let first = saved(1)
        let later = saved(5, after: first)
        #expect(stored(later) == later)
        #expect(stored(first).isRelated(to: stored(later)))
        #expect(stored(later).isRelated(to: stored(first)))
        #expect(later.met(later) == later)
    }

    @Test func `who goes on from an earlier copy has nothing in common with the later one`() {
        let backup = saved(3)
        let lost = saved(2, after: backup)
        let later = saved(1, after: backup.met(lost))
        #expect(lost.met(backup) == backup.met(lost))
        #expect(backup.isRelated(to: later), "all of it is in both")
        #expect(!lost.isRelated(to: later))
        #expect(!saved(1).isRelated(to: saved(1)))
    }

    @Test func `a copy that says nothing is taken as before, and so is none`() {
        #expect(CheckpointLineage().isRelated(to: saved(4)))
        #expect(stored(CheckpointLineage()) == CheckpointLineage())
        let text = String(decoding: Checkpoint().json(time: 7), as: UTF8.self)
        #expect(text == #"{"time":7}"#)
    }

    @Test func `the oldest lines are forgotten`() {
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
    func `what no save wrote counts as nothing`(line: String) {
        let lineage = CheckpointLineage(json: Array(#"{"line":\#(line)}"#.utf8))
        #expect(lineage == CheckpointLineage())
    }

    @Test func `a line that is full goes on in another one`() {
        var lineage = CheckpointLineage(json: Array(#"{"line":["aa",9007199254740992]}"#.utf8))
        let full = lineage
        lineage.advance(random)
        #expect(full.isRelated(to: lineage) && full != lineage)
    }

    /// The peer used its first sequence twice, and the copies of the checkpoint are equal.
    @Test func `a database that goes back behind its peer's going back gets everything`() throws {
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
    @Test func `a save whose answer was lost costs nothing`() throws {
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
