import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto

/// The rules for clients of a listener: how they authenticate, and their rights.
struct PeerAccess: Sendable {
    /// Requires the credentials that the arguments name; `nil` accepts all clients.
    let authenticator: (any ListenerAuthenticator & Sendable)?
    /// Names and rights, when there is a file of users.
    let users: UserFileAuthenticator?
    /// The certificates that peers need, if files of them are given.
    let certificates: ClientCertificates?

    /// Reads the rules.
    ///
    /// - Throws: `Failure` for options that cannot be used together, or a file that cannot be read.
    init(
        _ arguments: Arguments,
        _ terminal: Terminal,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws {
        let options = ["--user", "--users", "--client-certificate", "--client-ca"]
        let given = try arguments.onlyOption(of: options)
        let hasTLS = !arguments.has("--no-tls")
        if !hasTLS, let option = given {
            guard option.hasPrefix("--user") else {
                throw Failure.usage("'\(option)' requires TLS", hint: "remove '--no-tls'")
            }
            terminal.warn("clients send their passwords unencrypted; remove '--no-tls'")
        }
        users = try arguments.value("--users").map { path in
            try UserFileAuthenticator(UserFile(path: path), onProblem: onProblem)
        }
        certificates = try ClientCertificates(arguments)
        authenticator =
            try certificates?.authenticator ?? Self.authenticator(arguments, users, terminal)
    }

    private static func authenticator(
        _ arguments: Arguments,
        _ users: UserFileAuthenticator?,
        _ terminal: Terminal
    ) throws -> (any ListenerAuthenticator & Sendable)? {
        if let users {
            return ListenerPasswordAuthenticator { users.accepts($0, $1) }
        }
        guard let credentials = try Credentials.read(arguments, terminal) else { return nil }
        return ListenerPasswordAuthenticator { credentials.match($0, $1) }
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
        guard let users else { return access }
        guard let name = client.user, let entry = users.user(name) else {
            return .refused("the user was removed")
        }
        let user = entry.record
        access.isCurrent = { users.user(name)?.edition == entry.edition }
        access.readOnly = user.isReadOnly
        if let names = user.collections {
            access.collections = collections.filter { names.contains($0.qualifiedName) }
        }
        do {
            try user.condition?.limit(&access, of: name)
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
