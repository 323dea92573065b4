import DivanDatabase
import DivanTestKit

/// How a disk fails.
enum DiskFault: String, CaseIterable, Sendable {
    /// Transactions do not begin.
    case refuses
    /// Transactions break off in the middle.
    case breaksOff = "breaks off"
    /// Everything is written, and the commit fails.
    case failsAtCommit = "fails at commit"
    /// The commit succeeds, but the system reports a failure; nothing is written after that.
    case failsToSync = "fails to sync"
    /// There is no space.
    case isFull = "is full"
    /// Blobs cannot be written.
    case refusesBlobs = "refuses blobs"
    /// Reading fails now and then.
    case failsToRead = "fails to read"

    var code: StoreError.Code {
        switch self {
        case .isFull: .diskFull
        default: .io(5)
        }
    }
}

/// The state of one node's disk; on the loop only.
///
/// Rows in memory fail in `FaultyEngine`, files below SQLite (`FailingDisk`).
final class DiskHealth {
    var fault: DiskFault? { didSet { files?.fail(fault) } }
    /// The disk under the node's files; `nil` for rows in memory.
    var files: FailingDisk? { didSet { files?.fail(fault) } }
    /// Whether a commit that was reported as failed has made the rows in memory read-only until the
    /// database is reopened; files recover by themselves.
    var isPoisoned = false
    /// Where the process will die; `nil` = nowhere.
    var death: Death?
    private var generator: SeededGenerator

    /// A point between two effects of a process.
    struct Death {
        /// Transactions that are committed before it.
        var commitCount: Int
        /// Whether the next transaction is lost with the process, or is the last thing that it does.
        var isBeforeCommit: Bool
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Whether the fault occurs this time for rows that are kept in memory.
    func strikesRows(_ faults: DiskFault..., percentage: Int = 50) -> DiskFault? {
        files == nil ? strikes(faults, percentage) : nil
    }

    /// Whether the fault occurs this time for blobs.
    func strikesBlobs(_ faults: DiskFault...) -> DiskFault? { strikes(faults, 50) }

    private func strikes(_ faults: [DiskFault], _ percentage: Int) -> DiskFault? {
        guard let fault, faults.contains(fault),
            Int.random(in: 0..<100, using: &generator) < percentage
        else { return nil }
        return fault
    }

    /// Whether the process dies here.
    func dies(isBeforeCommit: Bool) -> Bool {
        guard var death, death.isBeforeCommit == isBeforeCommit else { return false }
        guard death.commitCount > 0 else {
            self.death = nil
            return true
        }
        death.commitCount -= 1
        self.death = death
        return false
    }

    /// Whether a sudden end of the process is also a power cut.
    func losesPower() -> Bool { files != nil && Bool.random(using: &generator) }

    /// How many writes and syncs of a commit happen before the power cut; a commit takes some twenty.
    func callsLeft() -> Int { Int.random(in: 0..<40, using: &generator) }

    /// How many steps of a transaction succeed before it breaks off.
    func stepsLeft() -> Int { Int.random(in: 0..<6, using: &generator) }
}
