import DivanCommandLine

/// What `push`, `pull` and `sync` accept.
enum SyncSyntax {
    static func make(name: String, summary: String, example: String) -> CommandSyntax {
        CommandSyntax(
            name: name,
            summary: summary,
            operands: [.database, .url],
            options: (name == "push" ? [] : peersCollections + [BlobChoice.option])
                + options.filter { !(filtersOfOtherWay[name] ?? []).contains($0.name) },
            details: """
                URL is ws:// or wss://, with the name of the peer's database as its path.
                Without --collections all collections of DB take part; a pull into a new database,
                with only an empty default collection, takes all that the peer shares. Collections
                that a pull needs are created. --list-collections prints the peer's collections, and
                --all-collections takes them all; both need a Divan peer. divan status DB shows from another terminal how far it is.

                Trust: the server's certificate is checked against the system's authorities
                unless --pin, --trust or --accept-self-signed says otherwise.
                \(Credentials.details) A session comes from --session-file or
                DIVAN_SESSION, the password of an encrypted FILE of --identity from
                DIVAN_IDENTITY_PASSWORD.

                LIST is comma-separated; scope.name:LIST holds for that collection alone, and so
                does scope.name:TEST. A TEST is type=hotel, stars>=3, address.city!=Rome, open or
                !open; several are joined by " and ". CONDITION is one of divan query, such as
                owner = 'ada', for all collections or as scope.name:CONDITION for one; it is checked
                before anything is sent. Deletions pass every filter.

                \(ConflictChoice.details)

                \(CompressionChoice.details)\(name == "push" ? "" : "\n\n" + BlobChoice.details)

                With --json each event is one line: status (activity, error, retry), progress
                (as divan status --json), document, conflict, and at the end finished.
                """,
            examples: [example] + examples
        )
    }

    private static let examples = [
        "divan sync notes wss://jukebox.local:4984/notes --identity robot --pin jukebox.pem"
    ]

    private static let options = what + how + ServerTrustOptions.all + output

    /// Options that filter the other direction: whoever gives one means to hold back other documents.
    private static let filtersOfOtherWay = [
        "push": ["--channels", "--pull-filter"], "pull": ["--push-filter"],
    ]

    private static let peersCollections: [CommandSyntax.Option] = [
        .flag("--list-collections", "print the names of the peer's collections, and end"),
        .flag("--all-collections", "every collection that the peer shares with us"),
    ]

    private static let what: [CommandSyntax.Option] = [
        .flag("--continuous", "stay connected and pass on changes until Ctrl-C"),
        .value(
            "--collections",
            "LIST",
            short: "-c",
            isRepeating: true,
            "these only: scope.name,…"
        ),
        .value("--channels", "LIST", isRepeating: true, "pull from these channels only"),
        .value("--documents", "LIST", isRepeating: true, "these document IDs only"),
        .value("--push-filter", "TEST", isRepeating: true, "push what passes the test"),
        .value("--pull-filter", "TEST", isRepeating: true, "pull what passes the test"),
        .value(
            "--where",
            "CONDITION",
            isRepeating: true,
            "sync what meets the condition, in SQL++, both ways"
        ),
        ConflictChoice.option,
        .flag("--no-auto-purge", "keep documents that the user may no longer read"),
        .flag("--reset", "forget how far earlier runs came"),
        .flag("--retry-refused", "push what the peer refused in earlier runs, too"),
        .fullSync,
    ]

    private static let how: [CommandSyntax.Option] = [
        CompressionChoice.option,
        .value("--attempts", "N", "tries to connect (default: 1; without end if continuous)"),
        .value("--max-wait", "SECONDS", "longest wait between two tries (default: 300)"),
        .value("--heartbeat", "SECONDS", "silence before the peer is pinged (default: 300)"),
    ]

    private static let output: [CommandSyntax.Option] = [
        .value("--report", "FILE", completion: .file, "write the final figures as JSON"),
        .json,
    ]
}

/// How a command connects to a server, whom it trusts, and how it authenticates.
enum ServerTrustOptions {
    static let all: [CommandSyntax.Option] =
        [
            .value(
                "--pin",
                "CERT",
                completion: .file,
                "trust this certificate (PEM or DER file), and no other"
            ),
            .value(
                "--trust",
                "CERTS",
                completion: .file,
                "trust what these authorities signed, not the system's"
            ),
            .flag("--accept-self-signed", "trust any self-signed certificate, and no other"),
        ] + Credentials.options + [
            .value(
                "--session-file",
                "FILE",
                completion: .file,
                "the ID of a session that the server issued, instead of --user"
            ),
            .value("--cookie-name", "NAME", "the session's cookie (default: SyncGatewaySession)"),
            .value(
                "--identity",
                "LABEL|FILE",
                completion: .file,
                "the certificate to show: divan identity ls, .pem or .p12"
            ),
            .flag("--parent-cookies", "keep cookies for a parent domain of the server's"),
            .value("--header", "NAME: VALUE", isRepeating: true, "send a further HTTP header"),
            .value(
                "--proxy",
                "[USER@]HOST:PORT",
                "go through this HTTP proxy; password in DIVAN_PROXY_PASSWORD"
            ),
            .value("--interface", "NAME", "connect from this interface or address"),
            .flag("--no-resumption", "a whole TLS handshake for each connection"),
        ]
}

extension CommandSyntax.Option {
    static let fullSync = CommandSyntax.Option.flag(
        "--full-sync",
        "confirm a commit only when the disk has it (default: the system writes it soon)"
    )
}

extension CommandSyntax.Operand {
    static let url = CommandSyntax.Operand(name: "URL")
}
