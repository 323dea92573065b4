import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto
import DivanReplicator
import DivanRevisions
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// A connection as the options of `push`, `pull` and `sync` describe it.
enum PeerTransport {
    /// Prepares the connection.
    ///
    /// - Throws: `Failure` for options that contradict each other or files that cannot be read.
    static func make(
        to url: WebSocketURL,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws -> WebSocketClientTransport {
        let isSecure = url.endpoint.isSecure
        // A redirect may lead to TLS.
        let needsTLS = isSecure || trustOptions.contains { arguments.has($0) }
        let fields = try headers(arguments, isSecure, terminal)
        let proxy = try ServerTrustOptions.proxy(arguments).map { proxy in
            HTTPProxy(
                host: proxy.hostname,
                port: proxy.port,
                username: proxy.username,
                password: proxy.password ?? ""
            )
        }
        return WebSocketClientTransport(
            WebSocketClientTransport.Configuration(
                endpoint: url.endpoint,
                subprotocols: DivanRevisions.RevisionScheme.allCases.flatMap {
                    Subprotocol.offered(for: $0)
                },
                headers: { $0.maySee(secretsFor: url.endpoint) ? fields : [:] },
                tls: needsTLS ? try tls(arguments, terminal) : nil,
                proxy: proxy,
                networkInterface: arguments.value("--interface")
            )
        )
    }

    private static func headers(
        _ arguments: Arguments,
        _ isSecure: Bool,
        _ terminal: Terminal
    ) throws -> HTTPHeaders {
        var fields = HTTPHeaders()
        for (name, value) in try ServerTrustOptions.headers(arguments).sorted(by: {
            $0.key < $1.key
        }) {
            fields.append(name, value)
        }
        let credentials = try ServerTrustOptions.credentials(
            arguments,
            isSecure: isSecure,
            terminal
        )
        switch credentials {
        case .password(let basic):
            let pair = Array("\(basic.username):\(basic.password)".utf8)
            fields.append("Authorization", "Basic " + Base64.encode(pair.span))
        case .session(let session):
            fields.append("Cookie", "\(session.cookieName)=\(session.sessionID)")
        case .token(let file): fields.append("Authorization", "Bearer " + file.token)
        case .certificate, nil: break
        }
        return fields
    }

    private static let trustOptions = ["--pin", "--accept-self-signed", "--trust", "--identity"]

    /// The TLS settings for the peer.
    static func tls(_ arguments: Arguments, _ terminal: Terminal) throws -> TLSContext {
        var trust = ServerTrust.systemRoots
        if let pin = try ServerTrustOptions.pin(arguments) {
            trust = .pinned(try DivanTLS.TLSCertificate(der: Array(pin.der).span))
        } else if arguments.has("--accept-self-signed") {
            trust = .selfSignedOnly
        } else if let file = arguments.value("--trust") {
            let roots = try IdentityFile.readCertificates(file)
            trust = .roots(try roots.map { try DivanTLS.TLSCertificate(der: Array($0.der).span) })
        }
        let credential = try arguments.value("--identity").map {
            try StoredIdentities.credential(named: $0, terminal)
        }
        return try TLSContext.client(
            ClientTLSConfiguration(serverTrust: trust, credential: credential)
        )
    }
}
