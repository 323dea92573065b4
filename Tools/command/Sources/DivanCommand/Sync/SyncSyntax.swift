import DivanCommandLine

/// What `push`, `pull` and `sync` accept.
enum SyncSyntax {
    static func make(name: String, summary: String, example: String) -> CommandSyntax {
        CommandSyntax(
            name: name,
            summary: summary,
            operands: [.database, .url],
            options: (name == "push" ? [] : pullOptions)
                + options.filter { !(filtersOfOtherWay[name] ?? []).contains($0.name) },
            details: """
                URL begins with wss:// or ws:// and ends with the name of the peer's database. All
                collections of DB are synced unless --collections is given.\(pullDetails(name))

                The server's certificate must be signed by an authority that the system trusts,
                unless --pin, --trust or --accept-self-signed is given. \(Credentials.details)
                DIVAN_SESSION replaces --session-file, and DIVAN_IDENTITY_PASSWORD decrypts the FILE
                of --identity.

                LIST is comma-separated. TEST is type=hotel, stars>=3, address.city!=Rome, open or
                !open; join several with " and ". CONDITION is SQL++, such as owner = 'ada'. To
                filter one collection only, put its name in front: geo.places:type=hotel. Deletions
                pass all filters.
                """,
            examples: [example] + examples
        )
    }

    private static let examples = [
        "divan sync notes wss://jukebox.local:4984/notes --identity robot --pin jukebox.pem"
    ]

    private static func pullDetails(_ name: String) -> String {
        guard name != "push" else { return "" }
        return " Missing collections are created. A pull into a new database gets all collections "
            + "that a Divan peer shares."
    }

    private static let pullOptions = peersCollections.grouped(.filters) + [BlobChoice.option]

    private static let options =
        filters.grouped(.filters) + general + connection.grouped(.connection)
        + ServerTrustOptions.all + output.grouped(.output)

    /// Options that would filter only the other direction.
    private static let filtersOfOtherWay = [
        "push": ["--channels", "--pull-filter"], "pull": ["--push-filter"],
    ]

    private static let peersCollections: [CommandSyntax.Option] = [
        .flag("--list-collections", "list the collections that a Divan peer shares, and exit"),
        .flag("--all-collections", "sync all collections that a Divan peer shares"),
    ]

    private static let filters: [CommandSyntax.Option] = [
        .collections("sync only these collections"),
        .value("--channels", "LIST", isRepeating: true, "pull only from these channels"),
        .value("--documents", "LIST", isRepeating: true, "sync only documents with these IDs"),
        .value("--push-filter", "TEST", isRepeating: true, "push only documents that match"),
        .value("--pull-filter", "TEST", isRepeating: true, "pull only documents that match"),
        .value("--where", "CONDITION", isRepeating: true, "sync only documents that match"),
    ]

    private static let general: [CommandSyntax.Option] = [
        .flag("--continuous", "stay connected and sync changes until interrupted (Ctrl-C)"),
        ConflictChoice.option,
        .flag("--no-auto-purge", "keep documents that the user can no longer access"),
        .flag("--reset", "discard the checkpoint, and compare all documents again"),
        .flag("--retry-refused", "repeat documents that could not be synced earlier"),
        .fullSync,
    ]

    private static let connection: [CommandSyntax.Option] = [
        CompressionChoice.option,
        .value("--attempts", "N", "connection attempts (default: 1; unlimited if continuous)"),
        .value("--max-wait", "SECONDS", "longest delay between attempts (default: 300)"),
        .value("--heartbeat", "SECONDS", "ping the peer after this idle time (default: 300)"),
    ]

    private static let output: [CommandSyntax.Option] = [
        .value("--report", "FILE", completion: .file, "write the final figures to FILE as JSON"),
        LogChoice.redaction, .json,
    ]
}

/// How a command connects to a server, which certificates it trusts, and how it authenticates.
enum ServerTrustOptions {
    static let all =
        trust.grouped(.authentication) + Credentials.options
        + identification.grouped(.authentication) + connection.grouped(.connection)

    private static let trust: [CommandSyntax.Option] = [
        .value("--pin", "CERT", completion: .file, "trust only this certificate (PEM or DER)"),
        .value(
            "--trust",
            "CERTS",
            completion: .file,
            "trust only certificates that these authorities signed"
        ),
        .flag("--accept-self-signed", "trust any self-signed certificate, and no other"),
    ]

    private static let identification: [CommandSyntax.Option] = [
        .value(
            "--session-file",
            "FILE",
            completion: .file,
            "read a session ID from FILE, instead of --user"
        ),
        .value(
            "--token-file",
            "FILE",
            completion: .file,
            "read a bearer token from FILE; reread it if rejected"
        ),
        .value("--cookie-name", "NAME", "name of the session cookie (default: SyncGatewaySession)"),
        .value(
            "--identity",
            "LABEL|FILE",
            completion: .file,
            "client certificate: a label of 'divan identity ls', .pem or .p12"
        ),
    ]

    private static let connection: [CommandSyntax.Option] = [
        .flag("--parent-cookies", "accept cookies for the server's parent domain"),
        .value("--header", "NAME: VALUE", isRepeating: true, "send an additional HTTP header"),
        .value(
            "--proxy",
            "[USER@]HOST:PORT",
            "use this HTTP proxy (password: DIVAN_PROXY_PASSWORD)"
        ),
        .value("--interface", "NAME", "connect from this interface or address"),
        .flag("--no-resumption", "do a full TLS handshake for each connection"),
    ]
}

extension CommandSyntax.Option {
    static let fullSync = CommandSyntax.Option.flag(
        "--full-sync",
        "flush each commit to disk before confirming it (slower)"
    )
}

extension CommandSyntax.Operand {
    static let url = CommandSyntax.Operand(name: "URL")
}
