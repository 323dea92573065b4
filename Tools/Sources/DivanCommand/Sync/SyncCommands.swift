import Divan

/// `divan push`.
enum PushCommand: Command {
    static let syntax = SyncSyntax.make(
        name: "push",
        summary: "send changes to a peer",
        example: "divan push travel wss://192.168.1.20:4984/travel --user sync --pin peer.pem"
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try SyncRun(arguments, direction: .push, terminal).run()
    }
}

/// `divan pull`.
enum PullCommand: Command {
    static let syntax = SyncSyntax.make(
        name: "pull",
        summary: "fetch changes from a peer",
        example: "divan pull travel wss://192.168.1.20:4984/travel --accept-self-signed"
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try SyncRun(arguments, direction: .pull, terminal).run()
    }
}

/// `divan sync`.
enum SyncCommand: Command {
    static let syntax = SyncSyntax.make(
        name: "sync",
        summary: "push and pull",
        example: "divan sync travel wss://192.168.1.20:4984/travel --continuous --user sync"
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try SyncRun(arguments, direction: .pushAndPull, terminal).run()
    }
}

/// What the three verbs accept.
enum SyncSyntax {
    static func make(name: String, summary: String, example: String) -> CommandSyntax {
        CommandSyntax(
            name: name,
            summary: summary,
            operands: [.database, .init(name: "URL")],
            options: options,
            details: """
                URL is ws:// or wss://, with the name of the peer's database as its path.
                Without --collections all collections of DB take part; named ones are made when
                a pull needs them. The server's certificate is checked against the system's
                authorities unless --pin or --accept-self-signed says otherwise.
                \(CompressionChoice.details)
                \(Credentials.details)
                """,
            examples: [example]
        )
    }

    private static let options: [CommandSyntax.Option] =
        [
            .flag("--continuous", "stay connected and pass on changes until Ctrl-C"),
            .value("--collections", "LIST", isRepeating: true, "these only: scope.name,…"),
            .value(
                "--pin",
                "CERT",
                completion: .file,
                "trust this certificate (PEM or DER file), and no other"
            ),
            .flag("--accept-self-signed", "trust any self-signed certificate, and no other"),
            .value("--channels", "LIST", isRepeating: true, "pull from these channels only"),
            .value("--documents", "LIST", isRepeating: true, "these document IDs only"),
            .value("--header", "NAME: VALUE", isRepeating: true, "send a further HTTP header"),
            .value("--attempts", "N", "tries to connect (default: 1; without end if continuous)"),
            CompressionChoice.option,
            .flag("--reset", "forget how far earlier runs came"),
            .value("--report", "FILE", completion: .file, "write the final figures as JSON"),
            .json,
        ] + Credentials.options
}
