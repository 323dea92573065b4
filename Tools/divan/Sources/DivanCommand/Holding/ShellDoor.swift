public import Divan
import DivanCommandLine
import Foundation
import Glibc

/// Lets the `divan` command of this user work on a database that this program has open.
///
/// While it is open, `divan put`, `rm`, `edit`, `import`, `query`, `studio --write` and the other verbs
/// that change a database go through this program, with the same results and errors as if nobody had
/// the database open: the command's own code runs here, so a program that wants it depends on the
/// product `DivanCommand`, and is larger by it. Listeners and replicators of this program see each
/// change at once. Without a door such a verb ends with an error that names this program.
///
/// The socket lies in the database (mode 0600), and only this user, or root, is let in. What the
/// command is given to do is done with the rights of this program, in the command's own directory.
/// `SIGPIPE` is ignored from then on, as servers do: the reader of a command's output may be gone.
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
    /// - Throws: `CBLError.notOpen` for a database that is closed or in memory, and
    ///   `NSPOSIXErrorDomain` where the file system has no sockets.
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

    /// Lets nobody in any more, and waits for those that work, five seconds at most.
    public func close() { holder.stop() }

    deinit { holder.stop() }
}
