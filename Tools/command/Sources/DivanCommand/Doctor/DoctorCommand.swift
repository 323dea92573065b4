import DivanCommandLine
import DivanWebSocket

/// `divan doctor`.
enum DoctorCommand: Command {
    static let syntax = CommandSyntax(
        name: "doctor",
        summary: "find out why a peer cannot be synced with, or what is wrong with a database",
        operands: [.init(name: "URL|DB", completion: .file)],
        options: [
            .value(
                "--collections",
                "LIST",
                short: "-c",
                isRepeating: true,
                "ask the peer for these (default: _default); of a database, tell of these (default: all)"
            ),
            .value("--timeout", "SECONDS", "patience with a silent peer in each step (default: 5)"),
        ] + ServerTrustOptions.all + [.json],
        details: """
            For a URL, in order: the address, the host's name, TCP, TLS with its names and dates,
            the WebSocket, what the proxy, the credentials and the rights say, the clock, the
            protocol, the collections, reading, writing, how long the way is, and how much goes
            through: the first documents are taken and forgotten (at most 200, 4 MB, 3 s), and 256 KB
            sent that the peer throws away. Each step says what was seen; the first that fails says
            what to do, and the rest is left out. Nothing is written on either side. Give the options
            of your divan sync.

            For a database: its files and who may write to them, the free space, the process that has
            it open, its format, everything stored with its checksum, how big each part is (of each
            collection bodies, histories with old revisions, blobs and indexes; the file, its log,
            blobs that nothing names), conflicts, contents left at a peer, what is pending for each
            peer, indexes.

            Exit code: that of the step that failed; 0 also when something is worth a look. With
            --json each finding is one line.
            """,
        examples: [
            "divan doctor wss://jukebox.local:4984/notes --user anna --pin jukebox.pem",
            "divan doctor notes",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let place = arguments.operands.first ?? ""
        var worst: Finding?
        func tell(_ finding: Finding) {
            finding.show(terminal)
            if finding.verdict == .failed { worst = worst ?? finding }
        }
        let isURL = place.contains("://")
        if isURL {
            try PeerExamination(place, arguments, terminal, tell).run()
        } else {
            try DatabasePath.check(place)
            let wanted = try arguments.collectionPaths()
            try DatabaseExamination(DatabasePath(place), wanted, tell).run()
        }
        guard let worst else { return }
        let shown = isURL ? WebSocketURLError.withoutCredentials(place) : place
        throw Failure(kind: worst.kind, sentence: "\(shown): \(worst.step): \(worst.seen)")
    }
}
