import DivanCommandLine

/// `divan mesh doctor`.
enum MeshDoctorCommand: Command {
    static let syntax = CommandSyntax(
        name: "mesh doctor",
        summary: "diagnose why a database does not sync with a mesh",
        operands: [.database, .init(name: "GROUP")],
        options: MeshOptions.all + [
            .collections("sync only these collections (default: all)"),
            .value("--timeout", "SECONDS", "wait this long for each response (default: 5)")
                .grouped(.connection),
            .json,
        ],
        details: """
            Checks the certificate, the port, discovery on the local network, and each seed and
            peer that is found: address, TLS, clock, group, collections and revision scheme. Use
            the options of your 'divan mesh join', which may be running.

            No peer is linked, and nothing is synced. Whether this machine's firewall lets other
            machines in can only be checked on another machine.

            Each problem is followed by a remedy. The exit code is that of the first failed step;
            it is 0 if there are only warnings.
            """,
        examples: [
            "divan mesh doctor notes team --identity robot --peer-ca cellar.pem",
            "divan mesh doctor notes team --identity robot --peer-ca cellar.pem --no-discovery "
                + "--seed wss://10.0.0.5:4985",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let findings = FindingList(terminal)
        try MeshExamination(arguments, terminal, findings.show).run()
        try findings.requireSuccess(of: arguments.database.name)
    }
}
