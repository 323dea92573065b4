import DivanCommandLine

/// `divan man`.
enum ManualCommand: Command {
    static let syntax = CommandSyntax(
        name: "man",
        summary: "print the manual page",
        details: """
            The page is in man(7) format. The Debian package installs it.
            """,
        examples: [
            "divan man | man -l -", "divan man > ~/.local/share/man/man1/divan.1",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let page = ManualPage(
            version: VersionPage.version,
            introduction: """
                DB is the path of a database, with or without .cblite2. Results are written to
                standard output, and messages to standard error. 'divan COMMAND --help' prints the
                section of this page about one command.
                """,
            families: CommandList.families.map { family in
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
            "the directory of databases that programs open by name; hints suggest databases in it"
        ),
        ("DIVAN_IDENTITY_DIRECTORY", "the directory of identities"),
        ("DIVAN_IDENTITY_PASSWORD", "the password of an encrypted file given to --identity"),
        ("DIVAN_LOG", "the log level: warning, info or verbose (default: no log)"),
        ("DIVAN_KEY_FILE", "the key of an encrypted database, instead of a prompt"),
        ("DIVAN_PASSWORD", "the password, instead of a prompt"),
        ("DIVAN_PROXY_PASSWORD", "the password of the proxy given to --proxy"),
        ("DIVAN_SESSION", "the session ID, instead of --session-file"),
        ("DIVAN_PAGER, PAGER", "the program that shows results that do not fit the terminal"),
        ("NO_COLOR", "if set, text is not bold or faint"),
        ("VISUAL, EDITOR", "the text editor"),
        ("XDG_DATA_HOME", "the data directory (default: ~/.local/share)"),
    ]
}
