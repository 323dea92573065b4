import CouchbaseLiteSwift
import Dispatch
import DivanCommandLine
import DivanJSON
import Foundation

/// `divan serve`.
enum ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve",
        summary: "accept connections from peers and sync databases with them",
        operands: [
            .init(name: "DB", isOptional: true, isRepeating: true, completion: .database)
        ],
        options: connection.grouped(.connection) + rest.grouped(.connection)
            + authentication.grouped(.authentication) + Credentials.serverOptions + data
            + output.grouped(.output),
        details: """
            Runs until interrupted (Ctrl-C), and shows the connected peers and their traffic. The
            connection is encrypted with a self-signed certificate that is created once and kept,
            unless --identity or --no-tls is given. Several databases use consecutive ports.

            By default, anyone can connect. --user requires a password, --users an account from a
            file ('divan users add'), --jwt-issuer a token, --client-certificate or --client-ca a
            certificate.
            \(Credentials.details) DIVAN_IDENTITY_PASSWORD decrypts the FILE of --identity.

            SIGHUP reloads log settings, users, roles, named queries and certificates, and continues
            the audit log after a rotation; SIGTERM tells peers to reconnect later.
            Docs/guides/serving.md describes the file of --config, events and metrics,
            Docs/guides/rest.md the REST interface.
            """,
        examples: [
            "divan serve travel --users users.json --port 4984",
            "divan serve maps --no-tls --interface 127.0.0.1 --read-only",
            "divan serve notes --identity jukebox --client-certificate robot.pem",
            "divan serve --config /etc/divan/serve.json --metrics-port 9984",
        ]
    )

    private static let connection: [CommandSyntax.Option] = [
        .value("--port", "PORT", short: "-p", "listen on this port (default: any free port)"),
        .value("--interface", "NAME", "listen only on this interface or address"),
        .value("--advertise", "NAME", "announce this name to 'divan discover'"),
        .value(
            "--identity",
            "LABEL|FILE",
            completion: .file,
            "server certificate: a label of 'divan identity ls', .pem or .p12"
        ),
        .flag("--no-tls", "listen without encryption"),
        .value(
            "--write-certificate",
            "FILE",
            completion: .file,
            "write the server certificate to FILE, for peers to pin"
        ),
        .value("--max-connections", "N", "maximum number of connections (default: 1000)"),
        .value("--max-per-address", "N", "maximum number per address (default: 250)"),
        .value(
            "--trusted-proxy",
            "ADDRESS",
            isRepeating: true,
            "trust X-Forwarded-For from this proxy or network"
        ),
        .value("--heartbeat", "SECONDS", "ping a peer after this idle time (default: 300)"),
        CompressionChoice.option,
    ]

    private static let authentication: [CommandSyntax.Option] = [
        .value("--users", "FILE", completion: .file, "accept the users in FILE"),
        .value(
            "--client-certificate",
            "CERT",
            isRepeating: true,
            completion: .file,
            "accept peers with this certificate"
        ),
        .value(
            "--client-ca",
            "CERTS",
            completion: .file,
            "accept peers whose certificate these authorities signed"
        ),
        .value("--jwt-issuer", "URL", "accept tokens (JWT) of this OpenID Connect issuer"),
        .value("--jwt-audience", "NAME", isRepeating: true, "require this audience in tokens"),
        .value(
            "--jwt-keys",
            "FILE|URL",
            completion: .file,
            "verify tokens with the issuer's keys (JWKS)"
        ),
        .value(
            "--jwt-roles",
            "FILE",
            completion: .file,
            "permissions of the roles in tokens (JSON)"
        ),
        .value("--jwt-role-claim", "CLAIM", "claim with the roles (default: roles)"),
        .value("--jwt-user-claim", "CLAIM", "claim with the user name (default: sub)"),
        .value("--jwt-clock-skew", "SECONDS", "tolerated difference of clocks (default: 60)"),
    ]

    private static let rest: [CommandSyntax.Option] = [
        .value("--rest", "PORT", "serve the REST interface on PORT (0: any free port)"),
        .value(
            "--rest-origin",
            "ORIGIN",
            isRepeating: true,
            "allow web pages of this origin to use --rest (default: none)"
        ),
        .value("--rest-host", "NAME", isRepeating: true, "additional host name for --rest"),
        .value(
            "--rest-queries",
            "FILE",
            completion: .file,
            "define named queries for --rest in FILE (JSON)"
        ),
        .flag("--rest-named-only", "refuse all queries over --rest except named ones"),
    ]

    private static let data: [CommandSyntax.Option] = [
        .collections("share only these collections (default: all)"),
        .flag("--read-only", "refuse changes from peers"),
        .value("--config", "FILE", completion: .file, "read options from FILE (JSON)"),
        .flag("--check", "check the options and the files they name, and exit"),
        .fullSync,
        .flag("--delta", "send changes as deltas, which keeps old bodies in the database"),
    ]

    private static let output: [CommandSyntax.Option] = [
        .value("--metrics-port", "PORT", "serve metrics on 127.0.0.1 (0: any free port)"),
        .value("--audit", "FILE", completion: .file, "record in FILE who did what"),
        .value(
            "--audit-key-file",
            "FILE",
            completion: .file,
            "sign the entries of --audit with the key in FILE"
        ),
        .flag("--audit-reads", "record reads, too"), LogChoice.level, LogChoice.redaction, .json,
    ]

    static func run(_ line: Arguments, _ terminal: Terminal) throws {
        let file = try ServeFile(line, syntax: Self.line)
        let arguments = file.arguments
        guard !arguments.operands.isEmpty else {
            throw Failure.usage(
                "divan serve: missing argument DB",
                hint: "give a database, or use '--config FILE'"
            )
        }
        // The file may name the key, too.
        try KeyRing.shared.take(arguments, of: Self.line)
        if arguments.has("--check") { return try check(file, terminal) }
        // Installed before anything is opened, so that no signal is missed.
        let interruption = Interruption()
        let reload = ReloadSignal()
        var terminal = terminal
        terminal.isJSON = arguments.has("--json")
        try LogChoice.apply(arguments)
        let session = try ServeSession(arguments, file.replications, terminal) {
            try ServeFile(line, syntax: Self.line)
        }
        do {
            try session.open()
        } catch {
            session.abandon()
            throw error
        }
        session.watch(until: interruption, reloadingAt: reload)
        session.stop(forRestart: interruption.isTermination)
    }

    /// Reads everything that the options name, without opening a database or a port.
    private static func check(_ file: ServeFile, _ terminal: Terminal) throws {
        _ = try ServeSession(file.arguments, file.replications, terminal) { file }
        for text in file.arguments.operands { try DatabasePath(text).requireExisting() }
        _ = try ServedDatabase.Settings(file.arguments)
        try RESTListener.check(file.arguments)
        _ = try LogChoice.read(file.arguments)
        for entry in file.replications { try entry.check(terminal) }
        let subject = file.arguments.value("--config") ?? "the command line"
        terminal.done("Checked \(subject): no errors", ["valid": true])
    }
}
