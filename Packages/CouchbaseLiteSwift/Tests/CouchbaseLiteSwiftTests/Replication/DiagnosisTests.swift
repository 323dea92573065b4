import CouchbaseLiteSwift
import Dispatch
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// What a replicator reports when asked why it is not progressing.
///
/// Serialized: a filter that does not return blocks a thread that another test's replicator may use.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DiagnosisTests {
    /// Tells the test that it was called, and waits for the test: three seconds at most, because it blocks a thread
    /// that other tests also use.
    private final class Hold: Sendable {
        private let word = DispatchSemaphore(value: 0)
        private let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        private let isLate = Atomic(false)

        /// Whether the test took so long that nothing was held any longer.
        var ranOut: Bool { isLate.load(ordering: .relaxed) }

        func wait() {
            continuation.yield()
            if word.wait(timeout: .now() + 3) == .timedOut {
                isLate.store(true, ordering: .relaxed)
            }
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

    /// What a replicator reports while it is held up; repeated if the machine was too busy.
    private func diagnosis(
        _ type: ReplicatorType,
        _ change: (inout CollectionConfiguration, Hold) -> Void
    ) async throws -> Replicator.Diagnosis {
        for _ in 0..<10 {
            let hold = Hold()
            let peers = try Peers()
            try peers.here.defaultCollection().put("soup", 1)
            try peers.there.defaultCollection().put("soup", 2)
            let replicator = Replicator(config: try peers.configuration(type) { change(&$0, hold) })
            let end = Task { await replicator.finalCode() }
            await hold.waitUntilBegun()
            let diagnosis = await replicator.diagnosis
            let isLate = hold.ranOut
            hold.end()
            _ = await end.value
            let after = await replicator.diagnosis
            #expect(after.waits.isEmpty && after.status.activity == .stopped)
            if !isLate { return diagnosis }
        }
        throw NeverInTime()
    }

    private struct NeverInTime: Error {}

    @Test func `the diagnosis names a slow conflict resolver and its document`() async throws {
        let diagnosis = try await diagnosis(.pushAndPull) { entry, hold in
            entry.conflictResolver = SlowResolver(hold: hold)
        }
        let wait = try #require(diagnosis.waits.first { $0.documentID == "soup" })
        #expect(wait.subject == "conflict resolver for soup")
        #expect(wait.collection == "_default._default")
        #expect(diagnosis.isResponding)
        #expect(diagnosis.description.contains("waiting for: "))
    }

    @Test func `the diagnosis reports a filter that does not return as a blocked thread`()
        async throws
    {
        let diagnosis = try await diagnosis(.push) { entry, hold in
            entry.pushFilter = { _, _ in
                hold.wait()
                return true
            }
        }
        #expect(!diagnosis.isResponding)
        #expect(diagnosis.description.contains("its thread is blocked"))
    }

    @Test func `the diagnosis of an offline replicator shows its next attempt and the error`()
        async throws
    {
        let peers = try Peers()
        let busy = HandshakeServer.answer("503 Busy", "Retry-After: 300")
        let server = try HandshakeServer(answers: [busy])
        let target = try URLEndpoint(validating: "ws://127.0.0.1:\(server.port)/db")
        let replicator = Replicator(config: try peers.configuration(target: target))
        _ = await replicator.start(until: .offline)
        let diagnosis = await replicator.diagnosis
        #expect(diagnosis.waits.map(\.subject) == ["the next attempt to connect"])
        #expect(diagnosis.description.hasPrefix("offline, 0 of 0 units; error: "))
        replicator.stop()
    }

    @Test func `a replicator that was never started waits for nothing`() async throws {
        let peers = try Peers()
        let diagnosis = await Replicator(config: try peers.configuration()).diagnosis
        #expect(diagnosis.description == "stopped, 0 of 0 units")
    }
}
