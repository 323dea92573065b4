import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanPlatform
import Synchronization

/// `divan disconnect`.
enum DisconnectCommand: Command {
    static let syntax = CommandSyntax(
        name: "disconnect",
        summary: "close the connections of a peer of a running server",
        operands: [.database, .init(name: "PEER")],
        options: [.flag("--reconnect", "let the peer connect again at once"), .json],
        details: """
            PEER is a user, the subject of a certificate, an address, or ADDRESS:PORT, as 'divan
            status DB --json' lists them. A continuous sync of the peer stops, unless --reconnect is
            given; nothing prevents it from being started again. To keep a user out, change or
            remove it with 'divan users', which also closes connections of the REST interface.
            """,
        examples: [
            "divan disconnect travel anna", "divan disconnect travel 192.168.1.7 --reconnect",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (path, peer) = (arguments.database, arguments.operands[1])
        guard let listener = RunningListeners.listener(of: path) else {
            if HolderName.isServer(path.bundle), let user = HolderName.otherUser(path.bundle) {
                throw Failure(
                    kind: .database,
                    sentence: "\(path.name) is served by a process of the user \(user)",
                    hint: "run the command as that user: 'sudo -u \(user) divan disconnect …'"
                )
            }
            throw Failure(
                kind: .notFound,
                sentence: "\(path.name) is not served by a running 'divan serve'",
                hint: "run 'divan top' to list the processes that serve databases"
            )
        }
        let connections = listener.connections.filter { PeerName($0.client).matches(peer) }
        guard !connections.isEmpty else {
            throw Failure(
                kind: .notFound,
                sentence: "no peer '\(peer)' is connected to \(path.name)",
                hint: "run 'divan status \(path.word)' to list the connected peers"
            )
        }
        for connection in connections {
            listener.disconnect(connection, reconnects: arguments.has("--reconnect"))
        }
        terminal.done(
            "Closed \(Numbers.count(connections.count, "connection")) of \(peer)",
            ["closed": JSON(connections.count)]
        )
    }
}

/// The listeners of this process, by the directories of their databases, for commands of other processes.
enum RunningListeners {
    private struct Entry: Sendable {
        let bundle: FileStatus
        let listener: URLEndpointListener
    }

    private static let entries = Mutex<[Entry]>([])

    /// Adds the listener of a database that is open.
    static func add(_ listener: URLEndpointListener, of path: DatabasePath) {
        guard let bundle = try? FileStatus(of: path.bundle) else { return }
        entries.withLock { $0.append(Entry(bundle: bundle, listener: listener)) }
    }

    /// Removes a listener that stops.
    static func remove(_ listener: URLEndpointListener) {
        entries.withLock { $0.removeAll { $0.listener === listener } }
    }

    /// The listener of a database, however its path is written.
    static func listener(of path: DatabasePath) -> URLEndpointListener? {
        guard let bundle = try? FileStatus(of: path.bundle) else { return nil }
        return entries.withLock { entries in
            entries.first { $0.bundle.isSameFile(as: bundle) }?.listener
        }
    }
}
