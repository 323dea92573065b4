import Dispatch
import Divan
import Foundation
import Testing

/// What a replicator says when somebody asks why it does not go on.
@Suite(.timeLimit(.minutes(1))) struct DiagnosisTests {
    /// Tells the test that it was asked, and waits for its word: three seconds at most, because it
    /// holds up a thread that other tests use too.
    private final class Hold: Sendable {
        private let word = DispatchSemaphore(value: 0)
        private let (begun, continuation) = AsyncStream.makeStream(of: Void.self)

        func wait() {
            continuation.yield()
            _ = word.wait(timeout: .now() + 30)
        }

        func waitUntilBegun() async {
            for await _ in begun { return }
        }

        func end() { word.signal() }
    }

    private struct SlowResolver: ConflictResolverProtocol {
        let hold: Hold

        func resolve(conflict: Conflict) -> Document? {
            hold.wait()
            return conflict.remoteDocument
        }
    }

    @Test func `a conflict resolver that thinks is named with its document`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("soup", 1)
        try peers.there.defaultCollection().put("soup", 2)
        let hold = Hold()
        let replicator = Replicator(
            config: try peers.configuration { $0.conflictResolver = SlowResolver(hold: hold) }
        )
        let end = Task { await replicator.finalCode() }
        await hold.waitUntilBegun()
        let diagnosis = await replicator.diagnosis
        let wait = try #require(diagnosis.waits.first { $0.documentID == "soup" })
        #expect(wait.subject == "conflict resolver, about soup")
        #expect(wait.collection == "_default._default")
        #expect(diagnosis.isResponding)
        #expect(diagnosis.description.contains("waits for: "))
        hold.end()
        #expect(await end.value == 0)
        let after = await replicator.diagnosis
        #expect(after.waits.isEmpty && after.waitCount == 0)
        #expect(after.status.activity == .stopped)
    }

    @Test func `a filter that does not return is told as a thread that does not answer`()
        async throws
    {
        let peers = try Peers()
        try peers.here.defaultCollection().put("soup", 1)
        let hold = Hold()
        let replicator = Replicator(
            config: try peers.configuration(.push) { entry in
                entry.pushFilter = { _, _ in
                    hold.wait()
                    return true
                }
            }
        )
        let end = Task { await replicator.finalCode() }
        await hold.waitUntilBegun()
        let diagnosis = await replicator.diagnosis
        #expect(!diagnosis.isResponding)
        #expect(diagnosis.description.contains("its thread does not answer"))
        hold.end()
        #expect(await end.value == 0)
    }

    @Test func `a replicator that waits for its next attempt says so, with the error`() async throws
    {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        let target = try listener.endpoint()
        listener.stop()
        let replicator = Replicator(config: try peers.configuration(target: target))
        _ = await replicator.start(until: .offline)
        let diagnosis = await replicator.diagnosis
        #expect(diagnosis.waits.map(\.subject) == ["the next attempt to connect"])
        #expect(diagnosis.description.hasPrefix("offline, 0 of 0 units; error: "))
        replicator.stop()
    }

    @Test func `one that was never started waits for nothing`() async throws {
        let peers = try Peers()
        let diagnosis = await Replicator(config: try peers.configuration()).diagnosis
        #expect(diagnosis.description == "stopped, 0 of 0 units")
    }
}
