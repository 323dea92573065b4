internal import DivanRevisions
internal import Synchronization

/// Decides which old bodies are kept as sources of deltas for peers about which nothing is
/// recorded, such as the clients of a listener.
///
/// While there is a hold, any client may have any current body, so what a save replaces is kept.
/// After the last hold no client has anything newer than what was current then: those bodies are
/// kept, since the listener will be back, and what was made and replaced since is dropped. The end
/// of the last hold is not recorded at that moment, since a process may be killed: the first write
/// without a hold does it.
final class DeltaSources: Sendable {
    /// What is known of the database here; the table of small values is authoritative.
    private enum Sharing {
        case unread
        /// Sources were never held, or were given up.
        case never
        case held
        /// Clients may have what was current up to these sequences.
        case ended(through: [CollectionID: UInt64])
    }

    private struct State {
        var holdCount = 0
        var sharing = Sharing.unread
    }

    private static let heldKey = "held"
    private let state = Mutex(State())

    /// What a transaction keeps.
    func retention(in transaction: any StorageTransaction) throws(StoreError) -> DeltaRetention {
        let state = state.withLock { $0 }
        guard state.holdCount == 0 else { return .everything }
        switch state.sharing {
        case .never: return .nothing
        case .ended(let through): return .shared(through: through)
        case .unread, .held: return try readRetention(in: transaction)
        }
    }

    private func readRetention(
        in transaction: any StorageTransaction
    ) throws(StoreError) -> DeltaRetention {
        let values = try transaction.values(in: .deltaSources)
        guard !values.contains(where: { $0.key == Self.heldKey }) else {
            // Read again by the next transaction, since this one may be rolled back.
            return .shared(through: try Self.endHold(in: transaction))
        }
        guard !values.isEmpty else {
            state.withLock { $0.sharing = .never }
            return .nothing
        }
        var through: [CollectionID: UInt64] = [:]
        for (key, value) in values {
            guard let id = Int64(key), let last = UInt64(String(decoding: value, as: UTF8.self))
            else { continue }  // costs a delta, no more
            through[CollectionID(rawValue: id)] = last
        }
        state.withLock { $0.sharing = .ended(through: through) }
        return .shared(through: through)
    }

    /// Records how far clients may be: nothing was written since the last hold.
    private static func endHold(
        in transaction: any StorageTransaction
    ) throws(StoreError) -> [CollectionID: UInt64] {
        var through: [CollectionID: UInt64] = [:]
        for path in try transaction.collections() {
            guard let id = try transaction.collection(path) else { continue }
            let last = try transaction.state(of: id).lastSequence
            through[id] = last
            try transaction.setValue(
                Array(String(last).utf8),
                for: String(id.rawValue),
                in: .deltaSources
            )
        }
        try transaction.setValue(nil, for: heldKey, in: .deltaSources)
        return through
    }

    /// Forgets the sources unless somebody holds them.
    fileprivate func forget(in transaction: any StorageTransaction) throws(StoreError) {
        guard state.withLock({ $0.holdCount == 0 }) else { return }
        for (key, _) in try transaction.values(in: .deltaSources) {
            try transaction.setValue(nil, for: key, in: .deltaSources)
        }
        state.withLock { $0.sharing = .unread }
    }

    fileprivate func begin(in transaction: any StorageTransaction) throws(StoreError) {
        try transaction.setValue([], for: Self.heldKey, in: .deltaSources)
    }

    fileprivate func change(by count: Int) {
        state.withLock { state in
            state.holdCount += count
            state.sharing = .held
        }
    }
}

/// While this object exists, saves keep the bodies that they replace, as sources of deltas.
///
/// Only the latest few bodies of each document are kept (`StoreLimits.deltaSourcesCount`), compressed as
/// differences. Afterwards, and when the database is reopened, the bodies that clients may have received in the
/// meantime are kept.
public final class DeltaSourceHold: Sendable {
    private let sources: DeltaSources

    fileprivate init(_ sources: DeltaSources) {
        self.sources = sources
        sources.change(by: 1)
    }

    deinit { sources.change(by: -1) }
}

extension Store {
    /// Keeps sources of deltas for peers whose state is not recorded, such as the clients of a listener, until the
    /// result is released; afterwards, the bodies that were current then are kept.
    ///
    /// Bodies that a remote of this store is known to have are always kept.
    ///
    /// - Throws: `busy` inside a transaction of this thread, and I/O errors; nothing is held then.
    public func holdDeltaSources() throws -> DeltaSourceHold {
        let hold = DeltaSourceHold(deltaSources)
        guard !engine.isReadOnly else { return hold }
        try outsideWrites { try engine.write { try deltaSources.begin(in: $0) } }
        return hold
    }

    /// Stops keeping sources of deltas for clients of earlier listeners, unless a hold exists; each source is
    /// dropped with the next save of its document.
    public func forgetDeltaSources() throws {
        guard !engine.isReadOnly else { return }
        guard try !engine.read({ try $0.values(in: .deltaSources) }).isEmpty else { return }
        try outsideWrites { try engine.write { try deltaSources.forget(in: $0) } }
    }
}
