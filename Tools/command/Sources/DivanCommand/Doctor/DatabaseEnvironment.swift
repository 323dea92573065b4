import DivanCommandLine
import DivanJSON
import DivanPlatform

/// The environment of a database: its directory, the disk, and the process that has it open.
struct DatabaseEnvironment {
    /// With fewer free bytes than `least` no transaction succeeds; with fewer than `some`, soon none will.
    private static let (least, some): (UInt64, UInt64) = (1 << 20, 64 << 20)

    private let path: DatabasePath

    init(_ path: DatabasePath) {
        self.path = path
    }

    var findings: [Finding] { [files, disk, holder].compactMap(\.self) }

    private var files: Finding? {
        guard let status = try? FileStatus(of: path.bundle) else { return nil }
        let mode = String(status.permissions & 0o777, radix: 8)
        if status.permissions & 0o002 != 0 {
            let remedy = "run 'chmod o-w \(path.bundle)'"
            return .warning("files", "all users can write to the directory (mode \(mode))", remedy)
        }
        do {
            try FileSystem.checkAccess(path.bundle, .write)
            return .ok("files", "\(path.bundle), mode \(mode)")
        } catch  where error.errno == .readOnlyFileSystem {
            let seen = "the disk is mounted read-only: nothing can be saved"
            let remedy = "remount it with 'mount -o remount,rw', or check 'dmesg' for the reason"
            return .warning("files", seen, remedy)
        } catch {
            let seen = "the current user can read but not write (mode \(mode))"
            let remedy = "run as user \(status.owner), or change the owner"
            return .warning("files", seen, remedy)
        }
    }

    private var disk: Finding? {
        guard let space = try? FileSystem.space(at: path.bundle), space.total > 0 else {
            return nil
        }
        let free = UInt64(space.free)
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
