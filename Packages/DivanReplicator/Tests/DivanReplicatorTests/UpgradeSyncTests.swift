import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Foundation
import Synchronization
import Testing

/// Databases of trees that are upgraded to version vectors between two replications, and clocks that are wrong.
@Suite struct UpgradeSyncTests {
    /// 2,000 documents, or as many as in `DIVAN_UPGRADE_DOCUMENTS`: 100,000 take minutes in a debug build.
    private static let documentCount =
        ProcessInfo.processInfo.environment["DIVAN_UPGRADE_DOCUMENTS"].flatMap { Int($0) } ?? 2_000

    @Test func `after an upgrade only pending changes are transferred to each of three peers`()
        throws
    {
        let here = try Site()
        let peers = [try Site(), try Site(), try Site()]
        for number in 0..<Self.documentCount { try here.save(name(number), #"{"n":\#(number)}"#) }
        for (number, peer) in peers.enumerated() {
            let run = meet(here, peer, number, .version3)
            #expect(run.failures == [] && run.error == nil)
            #expect(try peer.contents() == here.contents())
        }
        let pending = (0..<20).map { $0 * 97 }
        for number in pending { try here.save(name(number), #"{"edited":\#(number)}"#) }
        try here.delete(name(5))
        for site in [here] + peers { try site.store.upgradeToVersionVectors() }
        for (number, peer) in peers.enumerated() {
            let run = meet(here, peer, number, .version4)
            let expected = (pending + [5]).map { "push \(name($0))" }
            #expect(Set(run.transfers) == Set(expected), "peer \(number)")
            #expect(run.sentRevisionCount == 21)
            #expect(try peer.contents() == here.contents())
            let next = meet(here, peer, number, .version4)
            #expect(next.sentRevisionCount == 0 && next.transfers == [] && next.byteCount < 10_000)
        }
    }

    @Test(arguments: [true, false])
    func `a revision refused because of a wrong clock is synced after the clock is right`(
        isPush: Bool
    ) throws {
        let right: UInt64 = 1_800_000_000_000_000_000
        let clock = Clock(right - 3_600_000_000_000)
        let (late, early) = (try Site(.vectors(at: clock)), try Site(.vectors(at: Clock(right))))
        try early.save("doc", #"{"v":1}"#)
        let (here, there) = isPush ? (early, late) : (late, early)
        var run = meet(here, there, 0, .version4)
        #expect(run.transfers == [])
        #expect(run.failures.count == 1)
        #expect(try late.revision("doc") == nil)
        clock.now.withLock { $0 = right }
        run = meet(here, there, 0, .version4)
        #expect(run.transfers == [isPush ? "push doc" : "pull doc"])
        #expect(try here.contents() == there.contents())
    }

    /// In the first run after the peer lost everything, nothing recorded about it is trusted; nor is it in the next run
    /// for what it did not accept.
    @Test func `a document that a restored peer lost and first refused is pushed later`() throws {
        let right: UInt64 = 1_800_000_000_000_000_000
        let clock = Clock(right)
        let here = try Site(.vectors(at: Clock(right)))
        try here.save("doc", #"{"v":1}"#)
        _ = meet(here, try Site(.vectors(at: clock)), 0, .version4)
        clock.now.withLock { $0 = right - 3_600_000_000_000 }
        let restored = try Site(.vectors(at: clock))
        #expect(meet(here, restored, 0, .version4).failures.count == 1)
        clock.now.withLock { $0 = right }
        #expect(meet(here, restored, 0, .version4).transfers == ["push doc"])
        #expect(try here.contents() == restored.contents())
        #expect(meet(here, restored, 0, .version4).sentRevisionCount == 0)
    }

    @Test func `a merge that Sync Gateway sends with tree IDs follows those revisions`() throws {
        let site = try Site()
        try site.put("doc", ["2-abcd", "1-cdef"], #"{"v":1}"#)
        try site.store.upgradeToVersionVectors()
        let options = Conversation.Options(pushes: false)
        var server = Counterpart(options.active, site, version: .version4)
        try server.answer("getCollections", "[{}]")
        try server.answer("subChanges")
        let version = "18e9af5838430000@CvCbSStby9JU4nkonRJyYw"
        let merged = ["rGxJD77SR0+odh7PeEHKXA", "VYU9gI0kQIWF+V5BljXDyA"]
        let history = merged.map { "18e9af5824300000@" + $0 }.joined(separator: ",")
        server.ask("changes", ["collection": "0"], #"[[1,"doc","\#(version)"]]"#)
        let reply = server.ask(
            "rev",
            [
                "collection": "0", "id": "doc", "rev": version, "sequence": "1",
                "history": history + ";,2-abcd,1-cdef",
            ],
            #"{"v":2}"#
        )
        #expect(reply?.error == nil)
        #expect(try site.revision("doc") == version)
        #expect(try site.store.read { try $0.conflicts(in: .default) } == [])
    }

    /// Sync Gateway gave its version a tree ID that it does not reveal; only Couchbase Lite looks for the last one
    /// before that.
    @Test(arguments: [false, true])
    func `no tree IDs are pushed to Sync Gateway on top of a version`(isLite: Bool) throws {
        let site = try Site()
        try site.put("doc", ["2-abcd", "1-cdef"], #"{"v":1}"#)
        try site.put("other", ["2-abcd", "1-cdef"], #"{"v":1}"#)
        try site.store.upgradeToVersionVectors()
        let options = Conversation.Options(isContinuous: true)
        var server = Counterpart(options.active, site, version: .version4)
        try server.answer("getCollections", "[{}]")
        try server.answer("subChanges")
        try server.answer("proposeChanges", #"[{"status":409,"rev":"2-abcd"},304]"#)
        let version = "294c6b1e602@Revision+Tree+Encoding"
        server.ask("changes", ["collection": "0"], #"[[1,"doc","\#(version)"]]"#)
        server.ask(
            "rev",
            [
                "collection": "0", "id": "doc", "rev": version, "sequence": "1",
                "history": "18e9af5824300000@VYU9gI0kQIWF+V5BljXDyA,3-ef,2-abcd,1-cdef",
            ],
            #"{"v":2}"#
        )
        try site.save("doc", #"{"v":3}"#)
        try site.save("other", #"{"v":3}"#)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        try server.answer("proposeChanges", "[]", isLite ? ["blobs": "true"] : [:])
        let pushed = try server.take("rev") { $0.properties["id"] == "doc" }
        #expect(
            pushed.properties["history"]
                == "\(version), 18e9af5824300000@VYU9gI0kQIWF+V5BljXDyA"
                + (isLite ? ", 3-ef, 2-abcd, 1-cdef" : "")
        )
        // Its tree ends in the last one that was named there.
        let first = try server.take("rev") { $0.properties["id"] == "other" }
        #expect(first.properties["history"] == "2-abcd, 1-cdef")
    }

    private func name(_ number: Int) -> DocumentID { DocumentID(unchecked: "doc-\(number)") }

    private func meet(
        _ here: Site,
        _ there: Site,
        _ number: Int,
        _ subprotocol: Subprotocol
    ) -> Conversation {
        var options = Conversation.Options()
        options.remoteIdentity = "ws://peer\(number):4984/db/_blipsync"
        options.compresses = false
        var run = Conversation(options, here: here, there: there, subprotocol: subprotocol)
        run.run()
        return run
    }
}

/// A wall clock in nanoseconds since 1970.
private final class Clock: Sendable {
    let now: Mutex<UInt64>

    init(_ time: UInt64) { now = Mutex(time) }
}

extension Store {
    fileprivate static func vectors(at clock: Clock) -> Store {
        .inMemory(scheme: .vectors, wallTime: { clock.now.withLock { $0 } })
    }
}
