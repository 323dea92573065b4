import CouchbaseLiteSwift
import DivanCommandLine

/// `divan push`.
enum PushCommand: Command {
    static let syntax = SyncSyntax.make(
        name: "push",
        summary: "push changes to a peer",
        example: "divan push travel wss://192.168.1.20:4984/travel --user sync --pin peer.pem"
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try SyncRun.run(arguments, direction: .push, terminal)
    }
}

/// `divan pull`.
enum PullCommand: Command {
    static let syntax = SyncSyntax.make(
        name: "pull",
        summary: "pull changes from a peer",
        example: "divan pull travel wss://192.168.1.20:4984/travel --accept-self-signed"
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try SyncRun.run(arguments, direction: .pull, terminal)
    }
}

/// `divan sync`.
enum SyncCommand: Command {
    static let syntax = SyncSyntax.make(
        name: "sync",
        summary: "sync with a peer in both directions",
        example: "divan sync travel wss://192.168.1.20:4984/travel --continuous --user sync"
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try SyncRun.run(arguments, direction: .pushAndPull, terminal)
    }
}
