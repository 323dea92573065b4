import Divan
import DivanCommandLine
import DivanCrypto
import Foundation

/// Who may connect to a listener, and what they may do.
struct PeerGate: Sendable {
    /// Demands what the arguments require; `nil` lets everybody in.
    let authenticator: (any ListenerAuthenticator & Sendable)?
    /// Names and rights, when there is a file of users.
    let users: UserGate?

    /// Reads the rules.
    ///
    /// - Throws: `Failure` if rules contradict each other, or a file cannot be read.
    init(
        _ arguments: Arguments,
        _ terminal: Terminal,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws {
        let options = ["--user", "--users", "--client-certificate", "--client-ca"]
        let given = options.filter { arguments.has($0) }
        guard given.count < 2 else {
            throw Failure.usage("\(given[0]) and \(given[1]): choose one way to let peers in")
        }
        let hasTLS = !arguments.has("--no-tls")
        if !hasTLS, let option = given.first {
            guard option.hasPrefix("--user") else {
                throw Failure.usage("\(option) needs TLS; leave --no-tls out")
            }
            terminal.warn("without TLS the password travels in clear text")
        }
        users = try arguments.value("--users").map { path in
            try UserGate(UserFile(path: path), onProblem: onProblem)
        }
        authenticator = try Self.authenticator(arguments, users, terminal)
    }

    private static func authenticator(
        _ arguments: Arguments,
        _ users: UserGate?,
        _ terminal: Terminal
    ) throws -> (any ListenerAuthenticator & Sendable)? {
        if let users {
            return ListenerPasswordAuthenticator { users.accepts($0, $1) }
        }
        if let file = arguments.value("--client-ca") {
            let roots = try IdentityFile.readCertificates(file)
            return ListenerCertificateAuthenticator(rootCerts: roots)
        }
        if arguments.has("--client-certificate") {
            let files = arguments.values("--client-certificate")
            let known = Set(try files.flatMap { try IdentityFile.readCertificates($0) })
            return ListenerCertificateAuthenticator { chain in
                guard let own = chain.first else { return false }
                let now = Date()
                return known.contains(own) && own.notBefore <= now && now <= own.notAfter
            }
        }
        guard let credentials = try Credentials.read(arguments, terminal) else { return nil }
        return ListenerPasswordAuthenticator { credentials.match($0, $1) }
    }

    /// What a client may do with the shared collections.
    func access(
        of client: ListenerClient,
        to collections: [Divan.Collection]
    ) -> ListenerAccess {
        guard let users else { return .full }
        guard let name = client.user, let user = users.user(name) else {
            return .refused("the user was removed")
        }
        var access = ListenerAccess.full
        access.readOnly = user.isReadOnly
        if let names = user.collections {
            access.collections = collections.filter { names.contains($0.qualifiedName) }
        }
        do {
            try user.condition?.limit(&access, of: name)
        } catch {
            return .refused("the condition of the user cannot be asked: \(error)")
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
