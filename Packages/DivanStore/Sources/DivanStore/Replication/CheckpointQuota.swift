/// Who owns the checkpoints stored here for peers, how large they are, and in which order they were
/// written.
///
/// It prevents anyone from filling the disk with them: the number and the bytes are limited, per owner
/// and for the database. Beyond the limits the oldest are dropped, of the owner who adds one, or of
/// the one who has most. Checkpoints of earlier versions are not counted until they are saved again.
///
/// Has no clock: times are whatever the caller passes, as long as they ascend.
struct CheckpointQuota {
    private struct Entry {
        let owner: [UInt8]
        let byteCount: Int
        let serial: UInt64
    }

    private struct Account {
        var count = 0
        var byteCount = 0
        /// In order of writing; those that were written again since are in it twice.
        var order: [(id: [UInt8], serial: UInt64)] = []
        var head = 0
    }

    // By bytes: names that look alike are different rows.
    private var entries: [[UInt8]: Entry] = [:]
    private var accounts: [[UInt8]: Account] = [:]
    private var byteCount = 0
    private var lastSerial: UInt64 = 0

    /// Reads what the store holds.
    init(_ stored: some Sequence<(key: String, value: [UInt8])>) {
        var read: [(id: String, owner: String, byteCount: Int, time: Int64)] = []
        for (id, value) in stored {
            let parts = value.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, let time = Int64(parts[0]), let byteCount = Int(parts[1]),
                (0...StorageLimits.bodyByteCount).contains(byteCount)
            else { continue }
            read.append((id, parts[2], byteCount, time))
        }
        for entry in read.sorted(by: { $0.time < $1.time }) {
            note(entry.id, of: entry.owner, byteCount: entry.byteCount)
        }
    }

    /// Records that an owner has written a checkpoint.
    mutating func note(_ id: String, of owner: String, byteCount: Int) {
        forget(id)
        let (id, owner) = (Array(id.utf8), Array(owner.utf8))
        lastSerial += 1
        entries[id] = Entry(owner: owner, byteCount: byteCount, serial: lastSerial)
        self.byteCount += byteCount
        var account = accounts.removeValue(forKey: owner) ?? Account()
        account.count += 1
        account.byteCount += byteCount
        account.order.append((id, lastSerial))
        if account.order.count > 64, account.order.count > 4 * account.count {
            account.order = account.order[account.head...]
                .filter { entries[$0.id]?.serial == $0.serial }
            account.head = 0
        }
        accounts[owner] = account
    }

    mutating func forget(_ id: String) {
        forget(Array(id.utf8))
    }

    private mutating func forget(_ id: [UInt8]) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        byteCount -= entry.byteCount
        accounts[entry.owner]?.count -= 1
        accounts[entry.owner]?.byteCount -= entry.byteCount
        if accounts[entry.owner]?.count == 0 { accounts[entry.owner] = nil }
    }

    /// Forgets what is too much since this owner has written one, and returns the names.
    ///
    /// An empty name, which means no owner, has no limit of its own.
    mutating func takeExcess(of owner: String) -> [String] {
        let owner = Array(owner.utf8)
        var excess: [String] = []
        while !owner.isEmpty, let account = accounts[owner],
            account.count > StoreLimits.ownedCheckpointCount
                || account.byteCount > StoreLimits.ownedCheckpointByteCount
        {
            guard let id = takeOldest(of: owner) else { break }
            excess.append(String(decoding: id, as: UTF8.self))
        }
        while entries.count > StoreLimits.peerCheckpointCount
            || byteCount > StoreLimits.peerCheckpointByteCount
        {
            // The owner of the most bytes can spare one.
            let richest = accounts.max { $0.value.byteCount < $1.value.byteCount }?.key
            guard let id = richest.flatMap({ takeOldest(of: $0) }) else { break }
            excess.append(String(decoding: id, as: UTF8.self))
        }
        return excess
    }

    private mutating func takeOldest(of owner: [UInt8]) -> [UInt8]? {
        guard var account = accounts.removeValue(forKey: owner) else { return nil }
        var oldest: [UInt8]?
        while oldest == nil, account.head < account.order.count {
            let (id, serial) = account.order[account.head]
            account.head += 1
            if entries[id]?.serial == serial { oldest = id }
        }
        if account.head > 64, account.head * 2 > account.order.count {
            account.order.removeFirst(account.head)
            account.head = 0
        }
        accounts[owner] = account
        if let oldest { forget(oldest) }
        return oldest
    }

    /// The stored form of one entry.
    static func encoded(owner: String, byteCount: Int, time: Int64) -> [UInt8] {
        Array("\(time)\0\(byteCount)\0".utf8) + Array(owner.utf8)
    }
}
