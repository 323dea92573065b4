public import Divan
import DivanCommandLine
import Foundation
import Glibc

/// Lets this user's `divan` command work on a database that this program has open.
///
/// While it is open, `divan put`, `rm`, `edit`, `import`, `query`, `studio --write` and the other verbs
/// that change a database go through this program, with the same results and errors as if nobody had
/// the database open. The command's own code runs here, so the program must depend on the
/// product `DivanCommand`, which makes it larger. Listeners and replicators of this program see each
/// change at once. Without a door such a verb fails with an error that names this program.
///
/// The socket is in the database (mode 0600), and only commands of this user are let in: one that root
/// runs does not trust it, so root types `sudo -u NAME divan …`. The command's work is done with the
/// rights of this program, in the command's own directory.
/// From then on `SIGPIPE` is ignored, as in servers: the reader of a command's output may be gone.
/// May be called from any thread.
///
/// ```swift
/// let database = try Database(name: "orders")
/// let door = try ShellDoor(database)
/// defer { door.close() }
/// ```
public final class ShellDoor: Sendable {
    private let holder: Holder

    /// Opens the door; close it before the database.
    ///
    /// - Throws: `CBLError.notOpen` if the database is closed or in memory, and
    ///   `NSPOSIXErrorDomain` if the file system has no sockets.
    public init(_ database: Database) throws {
        guard let bundle = database.path else {
            throw NSError(
                domain: CBLError.domain,
                code: CBLError.notOpen,
                userInfo: [
                    NSLocalizedDescriptionKey: "Database \(database.name) is closed, or in memory; "
                        + "only one that is open and on the disk has a door"
                ]
            )
        }
        let path = DatabasePath(bundle)
        if let key = database.config.encryptionKey { KeyRing.shared.note(key, of: path) }
        signal(SIGPIPE, SIG_IGN)
        guard let holder = Holder(path, as: ProcessInfo.processInfo.processName) else {
            throw NSError(
                domain: NSPOSIXErrorDomain,
                code: Int(ENOTSUP),
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "\(path.bundle): no socket can be made there; put the "
                        + "database on a file system that has them"
                ]
            )
        }
        self.holder = holder
    }

    /// Accepts no more commands, and waits at most five seconds for running ones.
    public func close() { holder.stop() }

    deinit { holder.stop() }
}
