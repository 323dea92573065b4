import CouchbaseLiteSwift
import DivanAuth
import DivanCommandLine
import DivanCrypto

/// The rules for clients of a listener: how they authenticate, and their rights.
struct PeerAccess: Sendable {
    /// Requires the credentials that the arguments name; `nil` accepts all clients.
    let authenticator: (any CouchbaseLiteSwift.ListenerAuthenticator & Sendable)?
    /// Names and rights, when there is a file of users.
    let users: UserFileAuthenticator?
    /// The certificates that peers need, if files of them are given.
    let certificates: ClientCertificates?
    /// Accepts tokens, if there is an issuer.
    let tokens: TokenAccess?

    /// Reads the rules.
    ///
    /// - Throws: `Failure` for options that cannot be used together, or a file that cannot be read.
    init(
        _ arguments: Arguments,
        _ terminal: Terminal,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws {
        let options = ["--user", "--users", "--client-certificate", "--client-ca"]
        var given = try arguments.onlyOption(of: options)
        if arguments.has("--jwt-issuer") {
            _ = try arguments.onlyOption(of: [
                "--client-certificate", "--client-ca", "--jwt-issuer",
            ])
            given = given ?? "--jwt-issuer"
        }
        let hasTLS = !arguments.has("--no-tls")
        if !hasTLS, let option = given {
            guard option.hasPrefix("--user") || option == "--jwt-issuer" else {
                throw Failure.usage("'\(option)' requires TLS", hint: "remove '--no-tls'")
            }
            let secrets = option == "--jwt-issuer" ? "tokens" : "passwords"
            terminal.warn("clients send their \(secrets) unencrypted; remove '--no-tls'")
        }
        users = try arguments.value("--users").map { path in
            try UserFileAuthenticator(UserFile(path: path), onProblem: onProblem)
        }
        certificates = try ClientCertificates(arguments)
        let accepts = try certificates == nil ? Self.passwords(arguments, users, terminal) : nil
        tokens = try TokenAccess(
            arguments,
            otherwise: accepts.map { PasswordListenerAuthenticator($0) },
            onProblem: onProblem
        )
        if let tokens {
            authenticator = AdaptedListenerAuthenticator(tokens.authenticator)
        } else if let certificates {
            authenticator = certificates.authenticator
        } else {
            authenticator = accepts.map { accepts in
                ListenerPasswordAuthenticator { accepts($0, $1) }
            }
        }
    }

    /// Checks a name and a password; `nil` if the arguments require none.
    private static func passwords(
        _ arguments: Arguments,
        _ users: UserFileAuthenticator?,
        _ terminal: Terminal
    ) throws -> (@Sendable (String, String) -> Bool)? {
        if let users { return { users.accepts($0, $1) } }
        guard let credentials = try Credentials.read(arguments, terminal) else { return nil }
        return { credentials.match($0, $1) }
    }

    /// The rights of a client to the shared collections.
    func access(
        of client: ListenerClient,
        to collections: [CouchbaseLiteSwift.Collection]
    ) -> ListenerAccess {
        var access = ListenerAccess.full
        if let certificates {
            let edition = certificates.edition
            access.isCurrent = { certificates.edition == edition }
        }
        if let tokens, let token = client.token {
            guard let grant = tokens.grant(of: token) else {
                return .refused("the token is no longer valid")
            }
            access.isCurrent = { tokens.grant(of: token) == grant }
            return limited(access, to: grant.rights, of: grant.user, collections)
        }
        guard let users else { return access }
        guard let name = client.user, let entry = users.user(name) else {
            return .refused("the user was removed")
        }
        access.isCurrent = { users.user(name)?.edition == entry.edition }
        return limited(access, to: entry.record.rights, of: name, collections)
    }

    private func limited(
        _ access: ListenerAccess,
        to rights: UserRights,
        of name: String,
        _ collections: [CouchbaseLiteSwift.Collection]
    ) -> ListenerAccess {
        var access = access
        access.readOnly = rights.isReadOnly
        if let names = rights.collections {
            access.collections = collections.filter { names.contains($0.qualifiedName) }
        }
        do {
            try rights.condition?.limit(&access, of: name)
        } catch {
            return .refused("the user's condition cannot be evaluated: \(error)")
        }
        return access
    }
}

extension Credentials {
    /// Compares in constant time, so that timing reveals nothing about the password.
    func match(_ user: String, _ password: String) -> Bool {
        let (ourUser, theirUser) = (Array(self.user.utf8), Array(user.utf8))
        let (ours, theirs) = (Array(self.password.utf8), Array(password.utf8))
        let isUser = isEqualInConstantTime(ourUser.span, theirUser.span)
        let isPassword = isEqualInConstantTime(ours.span, theirs.span)
        return isUser && isPassword
    }
}
