import DivanCommandLine
import DivanJSON
import Glibc

/// The surroundings of a database: its directory, the disk, and the process that has it open.
struct DatabaseSurroundings {
    /// With fewer free bytes than `least` no transaction succeeds; with fewer than `some`, soon none will.
    private static let (least, some): (UInt64, UInt64) = (1 << 20, 64 << 20)

    private let path: DatabasePath

    init(_ path: DatabasePath) {
        self.path = path
    }

    var findings: [Finding] { [files, disk, holder].compactMap(\.self) }

    private var files: Finding? {
        var status = stat()
        guard stat(path.bundle, &status) == 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        if status.st_mode & 0o002 != 0 {
            let remedy = "run 'chmod o-w \(path.bundle)'"
            return .warning("files", "all users can write to the directory (mode \(mode))", remedy)
        }
        guard access(path.bundle, W_OK) != 0 else {
            return .ok("files", "\(path.bundle), mode \(mode)")
        }
        if errno == EROFS {
            let seen = "the disk is mounted read-only: nothing can be saved"
            let remedy = "remount it with 'mount -o remount,rw', or check 'dmesg' for the reason"
            return .warning("files", seen, remedy)
        }
        let remedy = "run as user \(status.st_uid), or change the owner"
        return .warning("files", "the current user can read but not write (mode \(mode))", remedy)
    }

    private var disk: Finding? {
        var status = statvfs()
        guard statvfs(path.bundle, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, isHuge) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        let free = isHuge ? UInt64.max : bytes
        let seen = "\(Numbers.bytes(free)) free"
        let remedy = "free some space; 'divan compact \(path.word)' releases unused space"
        var finding: Finding
        if free < Self.least {
            let full = "the disk is full (\(seen)): nothing can be saved"
            finding = .failed("disk", full, "free some space, and try again", .database)
        } else if free < Self.some {
            finding = .warning("disk", "only \(seen)", remedy)
        } else {
            finding = .ok("disk", seen)
        }
        finding.figures = ["free": JSON(free)]
        return finding
    }

    private var holder: Finding? {
        guard let owner = path.owner else {
            return .ok("holder", "no process has it open for writing")
        }
        let user = HolderName.otherUser(path.bundle).map { "sudo -u \($0.wordForShell) " }
        let seen = "\(owner); it executes '\(user.orEmpty)divan put', 'edit' and other changes"
        return .ok("holder", seen)
    }
}
