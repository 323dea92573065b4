import DivanStore
import Synchronization

/// An in-memory engine that refuses writes while it is broken.
final class FailingDisk: StorageEngine {
    let isBroken = Atomic<Bool>(false)
    let isUnreadable = Atomic<Bool>(false)
    private let memory = MemoryEngine()

    let isReadOnly = false

    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        guard !isUnreadable.load(ordering: .relaxed) else {
            throw StoreError(.io(5), at: "/home/ann/letters.cblite2")
        }
        return try memory.read(body)
    }

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        guard !isBroken.load(ordering: .relaxed) else { throw StoreError(.io(5)) }
        return try memory.write(body)
    }

    func checkIntegrity() throws(StoreError) {}
    func makeDurable() throws(StoreError) {}
    func syncFully() throws(StoreError) {}
    func close() {}
}
