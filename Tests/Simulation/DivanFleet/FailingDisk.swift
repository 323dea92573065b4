import CDivanDisk
import DivanPlatform

/// The disk under a node's database files: it fails when told to, and loses what was not synced
/// in a power cut.
///
/// Why the pointer is valid: the disk is created and freed only here, and the files on it are
/// closed by the owner of both (`DatabaseFile`). On the loop only.
final class FailingDisk {
    private let disk: OpaquePointer

    /// A disk under the files whose paths begin with `prefix`; `nil` if SQLite does not accept it.
    init?(prefix: String, seed: UInt64) {
        guard let disk = divan_disk_new(prefix, seed) else { return nil }
        self.disk = disk
    }

    deinit { divan_disk_free(disk) }

    /// Begins to fail as `fault` says, or stops failing.
    func fail(_ fault: DiskFault?) {
        let (calls, number, percentage): (divan_disk_fault, Int32, Int32) =
            switch fault {
            case .refuses: (DIVAN_DISK_WRITES_FAIL, Errno.ioError.rawValue, 90)
            case .breaksOff: (DIVAN_DISK_WRITES_FAIL, Errno.ioError.rawValue, 15)
            case .failsAtCommit, .failsToSync: (DIVAN_DISK_SYNCS_FAIL, Errno.ioError.rawValue, 50)
            case .isFull: (DIVAN_DISK_WRITES_FAIL, Errno.noSpace.rawValue, 30)
            case .failsToRead: (DIVAN_DISK_READS_FAIL, Errno.ioError.rawValue, 5)
            case .refusesBlobs, nil: (DIVAN_DISK_NOTHING_FAILS, 0, 0)
            }
        divan_disk_break(disk, calls, number, percentage)
    }

    /// Claims to have synced without having done so: a bug (`SeededBug.syncSkipped`).
    func skipSyncs() { divan_disk_skip_syncs(disk) }

    /// Cuts the power before the write or sync number `count` from now.
    func cutPower(after count: Int) { divan_disk_cut_power(disk, Int64(count)) }

    /// Whether the power has failed; nothing is read or written any more.
    var isCut: Bool { divan_disk_is_cut(disk) != 0 }

    /// Writes what a power cut leaves to files that begin with `prefix`; returns whether it succeeded.
    func writeRemains(to prefix: String) -> Bool { divan_disk_write_remains(disk, prefix) == 0 }
}
