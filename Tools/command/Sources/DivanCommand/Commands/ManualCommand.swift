import DivanCommandLine

/// `divan man`.
enum ManualCommand: Command {
    static let syntax = CommandSyntax(
        name: "man",
        summary: "print the manual page of all verbs",
        details: "The page is in the language of man(7). The Debian package installs it.",
        examples: [
            "divan man | man -l -", "divan man > ~/.local/share/man/man1/divan.1",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let page = ManualPage(
            version: VersionPage.version,
            introduction: """
                A database is named by its path, with or without .cblite2. Results go to standard
                output, everything else to standard error. divan VERB --help prints the part of
                this page that is about one verb.
                """,
            families: Verbs.families.map { family in
                (family.title, family.verbs.map { $0.line })
            },
            exitCodes: Failure.exitCodeRows,
            variables: variables
        )
        terminal.result(page.text)
    }

    private static let variables: ManualPage.Rows = [
        (
            "DIVAN_DIRECTORY",
            "where programs keep databases whose directory they do not name; looked into for hints"
        ),
        ("DIVAN_IDENTITY_DIRECTORY", "where identities are kept instead of the data directory"),
        ("DIVAN_IDENTITY_PASSWORD", "the password of an encrypted file that --identity names"),
        ("DIVAN_LOG", "warning, info or verbose shows what goes on inside"),
        ("DIVAN_PASSWORD", "a password that would be asked for"),
        ("DIVAN_PROXY_PASSWORD", "the password for the proxy that --proxy names"),
        ("DIVAN_SESSION", "the session at the server, instead of --session-file"),
        ("DIVAN_PAGER, PAGER", "through which rows go that do not fit the terminal"),
        ("NO_COLOR", "set to anything, leaves out bold and faint"),
        ("VISUAL, EDITOR", "what divan edit opens"),
        ("XDG_DATA_HOME", "the data directory"),
    ]
}
