import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import Synchronization
import Testing

/// A disk that fails once must not end a continuous replication.
@Suite struct FailedWriteTests {
    /// A store in memory whose next transactions fail, or its next reads.
    private final class FailingEngine: StorageEngine {
        let failureCount = Atomic<Int>(0)
        let failedReadingCount = Atomic<Int>(0)
        private let memory = MemoryEngine()

        let isReadOnly = false

        func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
            if failedReadingCount.load(ordering: .relaxed) > 0 {
                failedReadingCount.subtract(1, ordering: .relaxed)
                throw StoreError(.io(5))
            }
            return try memory.read(body)
        }

        func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
            if failureCount.load(ordering: .relaxed) > 0 {
                failureCount.subtract(1, ordering: .relaxed)
                throw StoreError(.io(5))
            }
            return try memory.write(body)
        }

        func checkIntegrity() throws(StoreError) {}
        func makeDurable() throws(StoreError) {}
        func syncFully() throws(StoreError) {}
        func close() {}
    }

    private func run(_ disk: FailingEngine, isContinuous: Bool) throws -> VirtualRun {
        var setting = VirtualRun.Setting(isContinuous: isContinuous)
        setting.retry = RetrySchedule(isContinuous: isContinuous)
        setting.here = try Store(engine: disk)
        return VirtualRun(setting)
    }

    @Test func `a push that could not be recorded locally ends only the connection`() throws {
        let disk = FailingEngine()
        let run = try run(disk, isContinuous: true)
        run.run(for: .seconds(1))
        try run.here.put("a", 1)
        disk.failureCount.store(1, ordering: .relaxed)
        run.loop.run(for: .seconds(10))
        // One second of running, and two of waiting.
        #expect(run.waits == [3])
        #expect(run.activities.contains(.offline))
        #expect(run.statuses.last?.activity == .idle)
        #expect(run.statuses.last?.error == nil)
        #expect(try run.there.text("a") == run.here.text("a"))
        try run.here.put("a", 2)
        run.loop.run(for: .seconds(1))
        #expect(try run.there.text("a") == #"{"value":2}"#)
    }

    @Test(arguments: [true, false])
    func `a read error of the changes feed ends only the connection`(isHere: Bool) throws {
        let disk = FailingEngine()
        var setting = VirtualRun.Setting(isContinuous: true)
        setting.retry = RetrySchedule(isContinuous: true)
        if isHere {
            setting.here = try Store(engine: disk)
        } else {
            setting.there = try Store(engine: disk)
        }
        let run = VirtualRun(setting)
        run.run(for: .seconds(1))
        try (isHere ? run.here : run.there).put("a", 1)
        disk.failedReadingCount.store(1, ordering: .relaxed)
        run.loop.run(for: .seconds(10))
        #expect(run.waits == [3], "\(run.statuses.compactMap(\.error))")
        #expect(run.statuses.last?.activity == .idle)
        #expect(run.statuses.last?.error == nil)
        #expect(try run.there.text("a") == run.here.text("a"))
        #expect(try run.here.text("a") == #"{"value":1}"#)
    }

    @Test(arguments: [true, false])
    func `a pulled document that could not be stored is pulled again`(isContinuous: Bool) throws {
        let disk = FailingEngine()
        let run = try run(disk, isContinuous: isContinuous)
        if isContinuous { run.run(for: .seconds(1)) }
        try run.there.put("a", 1)
        if !isContinuous { _ = try run.here.remoteID(for: "ws://there:4984/db/_blipsync") }
        disk.failureCount.store(1, ordering: .relaxed)
        run.run(for: .seconds(10))
        #expect(run.waits == [isContinuous ? 3 : 2], "\(run.statuses.compactMap(\.error))")
        #expect(run.statuses.last?.activity == (isContinuous ? .idle : .stopped))
        #expect(run.statuses.last?.error == nil)
        #expect(try run.here.text("a") == #"{"value":1}"#)
    }
}
