internal import DivanSQLite
internal import DivanStorage

/// The memory that one run of a query holds of its `QueryMemory`; requests fail once its control says stop.
///
/// Confined to the thread that runs the query, one at a time.
final class SQLiteMemoryQuota: SQLiteMemoryBudget {
    /// Bytes requested at a time: a small query makes one request.
    private static let stepByteCount = 1 << 20

    private let control: QueryControl
    private var memory: QueryMemory { control.memory }
    private var takenByteCount = 0
    /// Why the query cannot continue, once it has requested more than it may hold.
    private var refusal: QueryStop?

    init(_ control: QueryControl) {
        self.control = control
        super.init()
    }

    deinit {
        memory.giveBack(takenByteCount)
    }

    /// Throws why a call within the allowance failed, if that is the reason.
    func check(path: String) throws {
        if let refusal { throw refusal }
        try control.check(path: path)
    }

    override var mustStop: Bool { control.mustStop }

    override func grant(_ byteCount: Int64) -> Int64 {
        let free = memory.singleByteLimit - takenByteCount
        guard let more = Int(exactly: byteCount), more <= free else {
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
