import CouchbaseLiteSwift
import DivanCommandLine
import Foundation
import Synchronization

/// How a command authenticates at a peer.
enum PeerCredentials {
    case certificate(ClientCertificateAuthenticator)
    case session(SessionAuthenticator)
    case token(TokenFile)
    case password(BasicAuthenticator)

    /// The same for a replicator.
    var authenticator: any Authenticator {
        switch self {
        case .certificate(let certificate): certificate
        case .session(let session): session
        case .token(let token): token.authenticator
        case .password(let basic): basic
        }
    }
}

extension ServerTrustOptions {
    private static let hasWarned = Mutex(false)

    /// How this side authenticates; `nil` without credentials.
    ///
    /// - Throws: `Failure` if several are given, or one cannot be read.
    static func credentials(
        _ arguments: Arguments,
        isSecure: Bool,
        _ terminal: Terminal
    ) throws -> PeerCredentials? {
        let given = try arguments.onlyOption(of: [
            "--user", "--session-file", "--token-file", "--identity",
        ])
        var session: String?
        if let file = arguments.value("--session-file") {
            session = try Secret.firstLine(of: file)
        } else if given == nil || given == "--identity" {
            session = try Environment.value("DIVAN_SESSION")
        }
        if session == nil, arguments.has("--cookie-name") {
            throw Failure.usage("'--cookie-name' requires '--session-file' or DIVAN_SESSION")
        }
        if !isSecure, given != nil || session != nil {
            guard !arguments.has("--identity") else {
                throw Failure.usage("'--identity' requires TLS", hint: "use a wss:// URL")
            }
            let secret =
                session != nil ? "session ID" : given == "--token-file" ? "token" : "password"
            // A command may connect twice: to list the peer's collections, and to sync them.
            let isFirst = hasWarned.withLock { hasWarned in
                defer { hasWarned = true }
                return !hasWarned
            }
            if isFirst { terminal.warn("ws:// sends the \(secret) unencrypted; use wss://") }
        }
        if let text = arguments.value("--identity") {
            let identity = try StoredIdentities.identity(text, terminal)
            return .certificate(ClientCertificateAuthenticator(identity: identity))
        }
        if let session {
            let cookieName = arguments.value("--cookie-name")
            guard cookieName.map(HeaderField.isName) ?? true, HeaderField.isValue(session) else {
                throw Failure.usage(
                    "invalid session ID or cookie name",
                    hint: "each is one line without control characters"
                )
            }
            return .session(SessionAuthenticator(sessionID: session, cookieName: cookieName))
        }
        if let file = arguments.value("--token-file") {
            return .token(try TokenFile(file))
        }
        guard let credentials = try Credentials.read(arguments, terminal) else { return nil }
        return .password(
            BasicAuthenticator(username: credentials.user, password: credentials.password)
        )
    }

    /// The certificate that `--pin` names.
    static func pin(_ arguments: Arguments) throws -> SecCertificate? {
        try arguments.onlyOption(of: ["--pin", "--trust", "--accept-self-signed"])
        return try arguments.value("--pin").map { try IdentityFile.readCertificate($0) }
    }

    /// The authorities that `--trust` names, in PEM or DER.
    static func roots(_ arguments: Arguments) throws -> Data? {
        guard let file = arguments.value("--trust") else { return nil }
        _ = try IdentityFile.readCertificates(file)
        return Data(try IdentityFile.contents(file))
    }

    /// The header fields of `--header`.
    static func headers(_ arguments: Arguments) throws -> [String: String] {
        var headers: [String: String] = [:]
        for text in arguments.values("--header") {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, HeaderField.isName(parts[0]), HeaderField.isValue(parts[1])
            else {
                throw Failure.usage(
                    "invalid value for '--header'",
                    hint: "write 'NAME: VALUE' on one line, without control characters"
                )
            }
            headers[String(parts[0])] = String(parts[1].drop { $0 == " " })
        }
        return headers
    }

    /// The proxy of `--proxy`.
    static func proxy(_ arguments: Arguments) throws -> ProxySettings? {
        guard let text = arguments.value("--proxy") else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let (user, place) = (parts.dropLast().first, parts.last ?? "")
        guard parts.count <= 2, let colon = place.lastIndex(of: ":"),
            let port = UInt16(place[place.index(after: colon)...]), port > 0,
            colon != place.startIndex, user?.contains(":") != true, user?.isEmpty != true
        else {
            throw Failure.usage(
                "invalid value '\(user?.contains(":") == true ? "…" : text)' for '--proxy'",
                hint: "write HOST:PORT or USER@HOST:PORT, and set the password in "
                    + "DIVAN_PROXY_PASSWORD"
            )
        }
        var host = place[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return ProxySettings(
            hostname: String(host),
            port: port,
            username: user.map(String.init),
            password: try Environment.value("DIVAN_PROXY_PASSWORD")
        )
    }
}
