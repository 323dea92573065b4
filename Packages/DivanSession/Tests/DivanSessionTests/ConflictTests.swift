import Dispatch
import DivanConflicts
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import Synchronization
import Testing

/// Conflicts that a pull finds: which resolver is asked, how often, and what is stored and pushed.
@Suite(.timeLimit(.minutes(5))) struct SessionConflictTests {
    private struct Failure: Error {}

    /// Two stores that shared a document, and have both changed it since.
    private func conflicted() async throws -> TwoStores {
        let stores = TwoStores()
        try stores.here.put("a", 1)
        _ = await Run(stores.here, stores.configuration()).toTheEnd()
        try stores.here.put("a", 10)
        try stores.there.put("a", 20)
        return stores
    }

    private func run(_ stores: TwoStores, _ resolver: any ConflictResolver) async -> Run {
        var configuration = stores.configuration()
        configuration.resolvers = [.default: resolver]
        let run = Run(stores.here, configuration)
        _ = await run.toTheEnd()
        return run
    }

    @Test func `without a resolver both sides converge`() async throws {
        let stores = try await conflicted()
        _ = await Run(stores.here, stores.configuration()).toTheEnd()
        #expect(try stores.here.text("a") == stores.there.text("a"))
        #expect(try stores.here.read { try $0.conflicts(in: .default) }.isEmpty)
    }

    @Test func `the result of the resolver is pushed in the same run`() async throws {
        let stores = try await conflicted()
        let run = await run(
            stores,
            ClosureResolver { conflict in
                #expect(conflict.documentID == "a")
                return .merge(body: Array(#"{"value":30}"#.utf8))
            }
        )
        #expect(try stores.here.text("a") == #"{"value":30}"#)
        #expect(try stores.there.text("a") == #"{"value":30}"#)
        #expect(run.documents.events.filter { !$0.isPush }.map(\.error) == [nil])
    }

    @Test func `the resolver is called again if the document changed in the meantime`() async throws
    {
        let stores = try await conflicted()
        let askedCount = Atomic(0)
        let here = stores.here
        _ = await run(
            stores,
            ClosureResolver { _ in
                if askedCount.add(1, ordering: .relaxed).newValue == 1 { try here.put("a", 11) }
                return .keepLocal
            }
        )
        #expect(askedCount.load(ordering: .relaxed) == 2)
        #expect(try stores.there.text("a") == #"{"value":11}"#)
    }

    @Test func `a resolver that throws leaves the conflict for the next start`() async throws {
        let stores = try await conflicted()
        let first = await run(stores, ClosureResolver { _ in throw Failure() })
        let pulled = first.documents.events.filter { !$0.isPush }
        #expect(pulled.map(\.error?.code) == [8])
        #expect(try stores.here.read { try $0.conflicts(in: .default) } == ["a"])
        #expect(try stores.here.text("a") == #"{"value":10}"#)

        _ = await run(stores, ClosureResolver { _ in .keepRemote })
        #expect(try stores.here.text("a") == #"{"value":20}"#)
        #expect(try stores.here.read { try $0.conflicts(in: .default) }.isEmpty)
    }

    @Test func `many conflicts are resolved a few at a time`() async throws {
        let stores = TwoStores()
        for number in 0..<30 { try stores.here.put(DocumentID(unchecked: "\(number)"), 0) }
        _ = await Run(stores.here, stores.configuration()).toTheEnd()
        for number in 0..<30 {
            try stores.here.put(DocumentID(unchecked: "\(number)"), 1)
            try stores.there.put(DocumentID(unchecked: "\(number)"), 2)
        }
        let running = Atomic(0)
        let most = Atomic(0)
        _ = await run(
            stores,
            ClosureResolver { _ in
                let count = running.add(1, ordering: .relaxed).newValue
                most.max(count, ordering: .relaxed)
                running.subtract(1, ordering: .relaxed)
                return .keepLocal
            }
        )
        #expect(most.load(ordering: .relaxed) <= 4)
        for number in 0..<30 {
            #expect(try stores.there.text(DocumentID(unchecked: "\(number)")) == #"{"value":1}"#)
        }
    }

    @Test func `a document purged while the resolver runs is reported as not found`() async throws {
        let stores = try await conflicted()
        let here = stores.here
        let run = await run(
            stores,
            ClosureResolver { _ in
                _ = try here.write { try $0.purge("a", in: .default) }
                return .keepLocal
            }
        )
        #expect(run.documents.events.filter { !$0.isPush }.map(\.error?.code) == [7])
    }

    @Test func `stop waits for a running resolver and reports its document`() async throws {
        let stores = try await conflicted()
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        var configuration = stores.configuration()
        configuration.resolvers = [
            .default: ClosureResolver { _ in
                continuation.yield()
                gate.wait()
                return .keepLocal
            }
        ]
        let run = Run(stores.here, configuration)
        run.session.start()
        for await _ in asked { break }
        run.session.stop()
        gate.signal()
        #expect(await run.reached(.stopped) != nil)
        #expect(run.documents.events.filter { !$0.isPush }.map(\.documentID) == ["a"])
        #expect(try stores.here.read { try $0.conflicts(in: .default) }.isEmpty)
    }
}
