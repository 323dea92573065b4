public import CouchbaseLiteSwift
import DivanCommandLine
import DivanPlatform
import Foundation

/// Runs this user's `divan` commands on a database that this program has open.
///
/// While it is open, `divan put`, `rm`, `edit`, `import`, `query`, `studio --write` and the other commands
/// that change a database run in this program, with the same results and errors as if the database were
/// closed. The code of the commands runs here, so the program must depend on the product `DivanCommand`,
/// which makes it larger. Listeners and replicators of this program see each change at once. Without a
/// `CommandSocket`, such a command fails with an error that names this program.
///
/// The socket is in the database (mode 0600), and accepts only commands of this user. Commands of root do
/// not trust the socket, so root must use `sudo -u NAME divan …`. Commands run with the permissions of this
/// program, in their own working directory.
/// `SIGPIPE` is ignored from then on, as in servers: the reader of a command's output may have exited.
/// May be called from any thread.
///
/// ```swift
/// let database = try Database(name: "orders")
/// let socket = try CommandSocket(database)
/// defer { socket.close() }
/// ```
public final class CommandSocket: Sendable {
    private let holder: Holder

    /// Starts accepting commands; close the `CommandSocket` before the database.
    ///
    /// - Throws: `CBLError.notOpen` if the database is closed or in memory, and
    ///   `NSPOSIXErrorDomain` if the file system has no sockets.
    public init(_ database: Database) throws {
        guard let bundle = database.path else {
            throw NSError(
                domain: CBLError.domain,
                code: CBLError.notOpen,
                userInfo: [
                    NSLocalizedDescriptionKey: "database \(database.name) is closed or in memory; "
                        + "use a database that is open and stored on the disk"
                ]
            )
        }
        let path = DatabasePath(bundle)
        if let key = database.config.encryptionKey { KeyRing.shared.note(key, of: path) }
        Signal.brokenPipe.ignore()
        guard let holder = Holder(path, as: ProcessInfo.processInfo.processName) else {
            throw NSError(
                domain: NSPOSIXErrorDomain,
                code: Int(Errno.notSupported.rawValue),
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "\(path.bundle): cannot create a socket; move the database to a file "
                        + "system that supports sockets"
                ]
            )
        }
        self.holder = holder
    }

    /// Accepts no more commands, and waits at most five seconds for running ones.
    public func close() { holder.stop() }

    deinit { holder.stop() }
}
