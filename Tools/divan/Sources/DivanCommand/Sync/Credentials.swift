import DivanCommandLine

/// Name and password as a person gives them to a command.
struct Credentials: Sendable {
    let user: String
    let password: String

    static let options: [CommandSyntax.Option] = [
        .value("--user", "NAME", short: "-u", "the user's name"),
        Secret.option,
    ]

    static let details = Secret.details

    /// Reads the credentials that the arguments name; `nil` when no user was given.
    static func read(_ arguments: Arguments, _ terminal: Terminal) throws -> Credentials? {
        guard let text = arguments.value("--user") else {
            if arguments.has("--password-file") {
                throw Failure.usage("--password-file needs --user NAME")
            }
            return nil
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            terminal.warn(
                "a password on the command line can be read by every user of this machine; "
                    + "use --password-file or DIVAN_PASSWORD"
            )
            return Credentials(user: parts[0], password: parts[1])
        }
        return Credentials(user: text, password: try Secret.read(arguments))
    }
}
