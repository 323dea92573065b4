import DivanCommandLine

/// The name and password given to a command.
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
            if Environment.has("DIVAN_PASSWORD") {
                terminal.warn("DIVAN_PASSWORD is not used: there is no --user NAME")
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

extension Arguments {
    /// The identity that the command presents to a peer; `nil` if it has no credentials.
    var shownToPeer: String? {
        if let user = value("--user") { return "user \(user.prefix { $0 != ":" })" }
        if let identity = value("--identity") { return "identity \(identity)" }
        if has("--session-file") || Environment.has("DIVAN_SESSION") { return "a session" }
        return nil
    }
}

extension Failure {
    /// The same failure; if a server rejected the command's credentials, it says so, instead of that
    /// credentials are needed.
    func naming(credentialsOf arguments: Arguments) -> Failure {
        guard let shown = arguments.shownToPeer else { return self }
        let remedy =
            arguments.has("--user")
            ? "check the name and the password" : "ask whoever runs the server what it takes"
        var named = self
        named.sentence.replace(
            #/the server refused with 401, “[^”]*”; check user name and password, or the session/#,
            with: "the server refused \(shown) with 401; \(remedy)"
        )
        return named
    }
}
