import Dispatch
import Divan
import DivanCommandLine
import DivanJSON
import Foundation

/// `divan serve`.
enum ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve",
        summary: "let other peers replicate with databases",
        operands: [
            .init(name: "DB", isOptional: true, isRepeating: true, completion: .database)
        ],
        options: place + who + what + watching,
        details: """
            Goes on until Ctrl-C, and shows who is connected and how much moves. The connection is
            encrypted unless --no-tls is given; without --identity a self-signed certificate is
            made once and kept. The password of an encrypted FILE of --identity comes from
            DIVAN_IDENTITY_PASSWORD. Several databases get a port each: PORT, PORT + 1, and so on.

            Who may come: everybody; or who knows the password of --user or is in the file of
            --users (divan users add), whose rights hold; or who shows one of the certificates of
            --client-certificate, or one that --client-ca signed. \(Credentials.details)

            FILE of --config is a JSON object. Its members are "databases" and the long options
            without dashes, with true, a text, a number or a list as the value; what the command
            line says counts more:

              {"databases": ["/srv/travel"], "port": 4984, "users": "/etc/divan/users.json"}

            Port N of --metrics-port is on 127.0.0.1 only: /metrics for Prometheus, /_health for
            who wants to know whether it is up.

            Port N of --rest answers HTTP requests for the same users with the same TLS: documents,
            lists, changes, queries and blobs (Docs/guides/rest.md).

            REST answers requests for localhost and this machine's own names and addresses, and for
            the names of --rest-host; without users and TLS any other name is refused with 421.
            Behind a proxy, --trusted-proxy lets X-Forwarded-For tell clients apart.

            \(CompressionChoice.details)

            Ctrl-C tells peers that this is the end; SIGTERM, which systemd sends, tells them to
            come back, as after a restart.

            A change of the file of --users applies within a second, also to open connections.
            SIGHUP reads it, --identity, --client-certificate and --client-ca again; other options
            need a restart.

            With --json each event is one line: listening, connected, disconnected, refused,
            traffic, crowded, reloaded, problem, stopped.
            """,
        examples: [
            "divan serve travel --users users.json --port 4984",
            "divan serve maps --no-tls --interface 127.0.0.1 --read-only",
            "divan serve notes --identity jukebox --client-certificate robot.pem",
            "divan serve --config /etc/divan/serve.json --metrics-port 9984",
        ]
    )

    private static let place: [CommandSyntax.Option] = [
        .value("--config", "FILE", completion: .file, "read options from a file"),
        .value("--port", "PORT", short: "-p", "the port (default: any free one)"),
        .value("--interface", "NAME", "listen on this interface or address only"),
        .value("--advertise", "NAME", "let others find it under this name (divan discover)"),
        .value(
            "--identity",
            "LABEL|FILE",
            completion: .file,
            "certificate and key: divan identity ls, .pem or .p12"
        ),
        .flag("--no-tls", "listen without encryption"),
        .value(
            "--write-certificate",
            "FILE",
            completion: .file,
            "write the certificate, for peers to pin"
        ),
    ]

    private static let who: [CommandSyntax.Option] =
        [
            .value("--users", "FILE", completion: .file, "let these users in, with their rights"),
            .value(
                "--client-certificate",
                "CERT",
                isRepeating: true,
                completion: .file,
                "let peers with this certificate in"
            ),
            .value(
                "--client-ca",
                "CERTS",
                completion: .file,
                "let peers in whose certificate these authorities signed"
            ),
        ] + Credentials.options + [
            .value("--max-connections", "N", "connections at one time (default: 1000)"),
            .value("--max-per-address", "N", "the same from one address (default: 250)"),
            .value(
                "--trusted-proxy",
                "ADDRESS",
                isRepeating: true,
                "believe X-Forwarded-For of this proxy or network"
            ),
        ]

    private static let what: [CommandSyntax.Option] = [
        .value(
            "--collections",
            "LIST",
            short: "-c",
            isRepeating: true,
            "share these only (default: all)"
        ),
        .flag("--read-only", "refuse what peers push"),
        .value("--rest", "PORT", "answer HTTP requests too (0: any free)"),
        .value(
            "--rest-origin",
            "ORIGIN",
            isRepeating: true,
            "let web pages of this origin use --rest (default: none)"
        ),
        .value("--rest-host", "NAME", isRepeating: true, "another name of this server for --rest"),
        CompressionChoice.option,
        .fullSync,
        .flag("--delta", "send changes as deltas, and keep old bodies for them"),
        .value("--heartbeat", "SECONDS", "silence before a peer is pinged (default: 300)"),
    ]

    private static let watching: [CommandSyntax.Option] = [
        .value("--metrics-port", "PORT", "figures for Prometheus on 127.0.0.1 (0: any free)"),
        .json,
    ]

    static func run(_ line: Arguments, _ terminal: Terminal) throws {
        let arguments = try ServeFile.complete(line, syntax: syntax)
        guard !arguments.operands.isEmpty else {
            throw Failure.usage("divan serve: DB is missing; name a database or use --config")
        }
        // Installed before anything is opened, so that no signal is missed.
        let interruption = Interruption()
        let reload = ReloadSignal()
        var terminal = terminal
        terminal.isJSON = arguments.has("--json")
        let room = try ServingRoom(arguments, terminal)
        do {
            try room.open()
        } catch {
            room.abandon()
            throw error
        }
        room.watch(until: interruption, reloadingAt: reload)
        room.stop(forRestart: interruption.isTermination)
    }
}
