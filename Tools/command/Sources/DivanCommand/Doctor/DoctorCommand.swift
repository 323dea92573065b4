import DivanCommandLine
import DivanWebSocket

/// `divan doctor`.
enum DoctorCommand: Command {
    static let syntax = CommandSyntax(
        name: "doctor",
        summary: "diagnose problems with a peer or in a database",
        operands: [.init(name: "URL|DB", completion: .file)],
        options: checks + ServerTrustOptions.all + output.grouped(.output),
        details: """
            For a URL, checks the name, TCP, TLS, credentials, clock, protocol, collections, rights,
            latency and throughput, and stops at the first failure. Use the options of your sync.
            To measure the throughput, it receives at most 200 documents (4 MB, 3 s), which it
            discards, and sends 256 KiB. Nothing is stored on either side.

            For a database, checks permissions, free space, the process that has it open, the
            checksums of all content, sizes, conflicts, pending documents and indexes.

            Each problem is followed by a remedy. The exit code is that of the failed step; it is 0
            if there are only warnings.
            """,
        examples: [
            "divan doctor wss://jukebox.local:4984/notes --user anna --pin jukebox.pem",
            "divan doctor notes",
        ]
    )

    private static let checks: [CommandSyntax.Option] = [
        .collections("check these collections (default: _default of a peer, all of a database)")
            .grouped(.filters),
        .value("--timeout", "SECONDS", "wait this long for each response (default: 5)")
            .grouped(.connection),
    ]

    private static let output: [CommandSyntax.Option] = [.json]

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let place = arguments.operands.first ?? ""
        let findings = FindingList(terminal)
        let isURL = place.contains("://")
        if isURL {
            try PeerExamination(place, arguments, terminal, findings.show).run()
        } else {
            try DatabasePath.check(place)
            let wanted = try arguments.collectionPaths()
            try DatabaseExamination(DatabasePath(place), wanted, findings.show).run()
        }
        try findings.requireSuccess(of: isURL ? WebSocketURLError.withoutCredentials(place) : place)
    }
}
