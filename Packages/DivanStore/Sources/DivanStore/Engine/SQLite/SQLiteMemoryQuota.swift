internal import CDivanStore

/// The memory that one run of a query holds of its `QueryMemory`; requests fail once its watch says stop.
///
/// Confined to the thread that runs the query, one at a time.
final class SQLiteMemoryQuota {
    /// Bytes requested at a time: a small query makes one request.
    private static let stepByteCount = 1 << 20

    private let watch: QueryWatch
    private var memory: QueryMemory { watch.memory }
    private var takenByteCount = 0
    /// Why the query cannot continue, once it has requested more than it may hold.
    private var refusal: QueryStop?
    // Allocated here, freed in `deinit`; C uses it only during `within`.
    private let count: UnsafeMutablePointer<divan_allowance>

    init(_ watch: QueryWatch) {
        self.watch = watch
        count = .allocate(capacity: 1)
        count.initialize(to: divan_allowance())
        count.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        count.pointee.grant = { context, more in
            // Called during `within`, whose caller keeps this object alive.
            guard let context else { return 0 }
            return Unmanaged<SQLiteMemoryQuota>.fromOpaque(context).takeUnretainedValue().grant(
                more
            )
        }
        count.pointee.must_stop = { context in
            // As above.
            guard let context else { return 0 }
            let allowance = Unmanaged<SQLiteMemoryQuota>.fromOpaque(context).takeUnretainedValue()
            return allowance.watch.mustStop ? 1 : 0
        }
    }

    deinit {
        memory.giveBack(takenByteCount)
        count.deallocate()
    }

    /// Applies the allowance to the SQLite calls that `body` makes.
    func within<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        divan_use_allowance(count)
        defer { divan_use_allowance(nil) }
        return try body()
    }

    /// Throws why a call within the allowance failed, if that is the reason.
    func check(path: String) throws {
        if let refusal { throw refusal }
        try watch.check(path: path)
    }

    private func grant(_ more: Int64) -> Int64 {
        let free = memory.singleByteLimit - takenByteCount
        guard let more = Int(exactly: more), more <= free else {
            refusal = .tookTooMuchMemory(byteLimit: memory.singleByteLimit)
            return 0
        }
        let step = min(max(more, Self.stepByteCount), free)
        guard memory.take(step) else {
            refusal = .othersHoldMemory
            return 0
        }
        takenByteCount += step
        return Int64(step)
    }
}
