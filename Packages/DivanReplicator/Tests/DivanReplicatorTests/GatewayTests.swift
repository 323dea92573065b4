import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Foundation
import Testing

/// Databases that sync with a Sync Gateway that leaves out the history of tombstones.
///
/// `DIVAN_CONVERSATIONS` sets the number of random conversations of each scheme, `DIVAN_SEED` the first seed.
@Suite struct GatewayTests {
    private static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
    }

    @Test(arguments: [RevisionScheme.trees, .vectors])
    func `random syncs with different resolvers and disconnects converge and report it correctly`(
        scheme: RevisionScheme
    ) throws {
        let first = Self.number("DIVAN_SEED") ?? 1
        let count = Self.number("DIVAN_CONVERSATIONS") ?? TestLength.of(15, long: 60)
        for seed in first..<first + count {
            var world = try GatewayWorld(scheme, seed: seed)
            try world.wander()
            try world.settle()
            let problems = try world.problems + world.differences()
            guard !problems.isEmpty else { continue }
            Issue.record("seed \(seed): \(problems)\n\(world.log.joined(separator: "\n"))")
            return
        }
    }

    private struct Pair {
        let gateway: GatewayModel
        let site: Site
        var events: [DocumentEvent] = []
        private let clock = VirtualClock()

        init(_ scheme: RevisionScheme = .vectors) throws {
            gateway = GatewayModel(scheme, answersFromVector: true, clock: clock)
            site = try Self.device(scheme, clock)
        }

        /// Another database that syncs with the same server.
        func device() throws -> Site { try Self.device(gateway.scheme, clock) }

        private static func device(_ scheme: RevisionScheme, _ clock: VirtualClock) throws -> Site {
            let time: @Sendable () -> UInt64 = {
                clock.pass()
                return clock.now
            }
            return try Site(.inMemory(scheme: scheme, wallTime: time))
        }

        /// Syncs; returns the number of conflicts.
        @discardableResult
        mutating func sync(_ decision: ConflictDecision = .keepLocal) throws -> Int {
            var run = GatewayMeeting(site, gateway, .init()) { _ in decision }
            try run.run()
            #expect(run.closeCode == 1000)
            events = run.events
            return run.conflictCount
        }
    }

    @Test(arguments: [RevisionScheme.trees, .vectors])
    func `a deletion by another device reaches a device that did not edit the document`(
        scheme: RevisionScheme
    ) throws {
        var pair = try Pair(scheme)
        try pair.gateway.save("d", #"{"v":1}"#)
        try pair.sync()
        let other = try pair.device()
        var run = GatewayMeeting(other, pair.gateway, .init()) { _ in .keepRemote }
        try run.run()
        try other.delete("d")
        run = GatewayMeeting(other, pair.gateway, .init()) { _ in .keepRemote }
        try run.run()
        #expect(pair.gateway.body("d") == nil)
        #expect(try pair.sync() == 0)
        #expect(try pair.site.body("d") == nil)
        #expect(try pair.site.revision("d") == pair.gateway.documents["d"]?.id.description)
    }

    @Test(arguments: [RevisionScheme.trees, .vectors])
    func `an edit kept over a deletion without history is pushed`(scheme: RevisionScheme) throws {
        var pair = try Pair(scheme)
        try pair.gateway.save("d", #"{"v":1}"#)
        try pair.sync()
        try pair.site.save("d", #"{"v":2}"#)
        try pair.gateway.save("d", "{}", isTombstone: true)
        #expect(try pair.sync(.keepLocal) == 1)
        #expect(pair.gateway.body("d") == #"{"v":2}"#)
        #expect(try pair.site.body("d") == #"{"v":2}"#)
        #expect(try pair.sync() == 0)
    }

    /// The revision came from another database, so the gateway knows its name, and takes it for an old one.
    @Test func `a revision of another device that is kept over that device's deletion is pushed`()
        throws
    {
        var pair = try Pair()
        try pair.gateway.save("d", #"{"v":1}"#)
        let other = try pair.device()
        var run = GatewayMeeting(other, pair.gateway, .init()) { _ in .keepRemote }
        try run.run()
        var options = Conversation.Options()
        options.remoteIdentity = "ws://other:4984/db/_blipsync"
        _ = Conversation.oneShot(options, pair.site, other, subprotocol: .version4)
        #expect(try pair.site.body("d") == #"{"v":1}"#)
        try other.delete("d")
        run = GatewayMeeting(other, pair.gateway, .init()) { _ in .keepRemote }
        try run.run()
        #expect(pair.gateway.body("d") == nil)
        // A push would be told that the gateway knows the revision, which then is no conflict.
        run = GatewayMeeting(pair.site, pair.gateway, .init(pushes: false)) { _ in .keepLocal }
        try run.run()
        #expect(run.conflictCount == 1)
        #expect(try pair.sync() == 0)
        #expect(pair.gateway.body("d") == #"{"v":1}"#)
        #expect(try pair.site.body("d") == #"{"v":1}"#)
    }

    @Test func `a new document with the ID of a deleted one stays on both sides`() throws {
        var pair = try Pair()
        try pair.gateway.save("s", #"{"v":"old"}"#)
        try pair.gateway.save("t", #"{"v":"other"}"#)
        try pair.gateway.save("s", "{}", isTombstone: true)
        try pair.sync()
        #expect(try pair.site.revision("s") == nil)
        try pair.site.save("s", #"{"v":"new"}"#)
        #expect(try pair.sync(.delete) == 0)
        #expect(try pair.site.body("s") == #"{"v":"new"}"#)
        #expect(pair.gateway.body("s") == #"{"v":"new"}"#)
        #expect(pair.events.allSatisfy { $0.error == nil })
        let remote = try pair.site.store.remoteID(for: Conversation.Options().remoteIdentity)
        #expect(try pair.site.store.read { try $0.refusals(in: .default, at: remote) }.isEmpty)
    }
}
