import DivanCommandLine

/// The name and password given to a command.
struct Credentials: Sendable {
    let user: String
    let password: String

    /// For commands that connect to a peer.
    static let options = named("user name")
    /// For a server.
    static let serverOptions = named("require this user name and its password")

    private static func named(_ help: String) -> [CommandSyntax.Option] {
        [
            .value("--user", "NAME", short: "-u", help).grouped(.authentication), Secret.option,
        ]
    }

    static let details = Secret.details

    /// Reads the credentials that the arguments name; `nil` without a user.
    static func read(_ arguments: Arguments, _ terminal: Terminal) throws -> Credentials? {
        guard let text = arguments.value("--user") else {
            if arguments.has("--password-file") {
                throw Failure.usage("'--password-file' requires '--user NAME'")
            }
            if Environment.has("DIVAN_PASSWORD") {
                terminal.warn("DIVAN_PASSWORD is ignored without '--user NAME'")
            }
            return nil
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            terminal.warn(
                "a password on the command line is visible to all users of this machine; "
                    + "use '--password-file' or DIVAN_PASSWORD"
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
        if has("--token-file") { return "the token" }
        if has("--session-file") || Environment.has("DIVAN_SESSION") { return "a session" }
        return nil
    }
}

extension Failure {
    /// The same failure; if a server rejected the command's credentials, the sentence names them.
    func naming(credentialsOf arguments: Arguments) -> Failure {
        guard let shown = arguments.shownToPeer else { return self }
        let refusal = #/the server refused the connection with HTTP 401( \(".*?"\))?/#
        guard sentence.contains(refusal) else { return self }
        var named = self
        named.sentence.replace(refusal, with: "the server refused \(shown) with HTTP 401")
        named.hint =
            arguments.has("--user")
            ? "check the user name and the password"
            : "ask the server's administrator for valid credentials"
        return named
    }
}
