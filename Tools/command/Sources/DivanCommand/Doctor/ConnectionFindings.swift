import DivanCommandLine
import DivanProbe
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// Explains why a connection was not established.
struct ConnectionFindings {
    let endpoint: WebSocketEndpoint
    let isProxied: Bool
    /// The identity that was presented to the peer.
    let shown: String?
    let patience: Int

    func finding(of report: ProtocolProbe.Report) -> Finding {
        switch report.close {
        // The doctor closes the connection when the patience ends; that event may be first.
        case nil, .clean(_, _, isByPeer: false)?: silence
        case .clean(let code, let reason, isByPeer: true)?:
            .failed(
                "websocket",
                "the server closed the connection: \(code) \(reason)",
                "check the server's log",
                .unreachable
            )
        case .failed(let error)?: finding(of: error)
        }
    }

    /// Whether nothing at all was received: another attempt would only wait again.
    func isSilent(_ report: ProtocolProbe.Report) -> Bool {
        switch report.close {
        case nil, .clean(_, _, isByPeer: false)?: report.peer == nil
        case .failed(let error)?:
            if case .timeout = error.reason { true } else { false }
        case .clean?: false
        }
    }

    private var silence: Finding {
        guard !isProxied else {
            return .failed(
                "proxy",
                "the proxy accepted the connection, but did not respond within \(patience) s",
                "check the host and port in --proxy and in the URL, and the proxy's log",
                .unreachable
            )
        }
        return .failed(
            "websocket",
            "the server accepted the TCP connection, but did not respond to the "
                + (endpoint.isSecure ? "TLS handshake" : "WebSocket request")
                + " within \(patience) s",
            endpoint.isSecure
                ? "check that the server uses TLS on this port: 'divan certs show "
                    + "\(endpoint.host):\(endpoint.port)'"
                : "check that no other program uses the port, and that no firewall blocks the data",
            .unreachable
        )
    }

    private func finding(of error: TransportError) -> Finding {
        if let proxy = ProxyFinding(error, to: endpoint, patience) { return proxy.finding }
        return switch error.reason {
        case .tls(let problem): finding(of: problem)
        case .refused(let status, let explanation, let headers):
            finding(ofStatus: status, explanation, headers)
        case .handshake(let problem): finding(of: problem)
        case .tooManyRedirects, .invalidRedirect:
            .failed(
                "websocket",
                "\(error.reason.sentence(of: error))",
                "use the final URL",
                .unreachable
            )
        case .timeout: silence
        case .abnormalClose, .system, .frame: brokenOff(error)
        case .nameLookup, .unknownHost, .unknownInterface:
            .failed("name", "\(error)", "check the host name", .unreachable)
        }
    }

    /// The server closed the connection without a response: often it expects TLS.
    private func brokenOff(_ error: TransportError) -> Finding {
        if !endpoint.isSecure, !isProxied, speaksTLS { return wantsTLS }
        return .failed(
            "websocket",
            error.reason.sentence(of: error),
            "check the server's log; a proxy or firewall may have closed the connection",
            .unreachable
        )
    }

    private var speaksTLS: Bool {
        ServerProbe.speaksTLS(host: endpoint.lookupName, port: endpoint.port)
    }

    private var wantsTLS: Finding {
        .failed(
            "tls",
            "the server uses TLS, but the URL begins with ws://",
            "use a wss:// URL",
            .unreachable
        )
    }

    private func finding(of problem: HandshakeError) -> Finding {
        if !endpoint.isSecure, !isProxied, speaksTLS { return wantsTLS }
        switch problem.reason {
        case .subprotocol, .noSubprotocol:
            let remedy = "check that the URL is that of a Sync Gateway or Divan, and its version"
            return .failed("protocol", "no common protocol: \(problem)", remedy, .unreachable)
        default: break
        }
        return .failed(
            "websocket",
            "WebSocket upgrade failed: \(problem)",
            "check the path in the URL; proxies on the way must forward WebSocket upgrades",
            .unreachable
        )
    }

    // MARK: TLS

    private func finding(of error: TLSError) -> Finding {
        let place = "\(endpoint.host):\(endpoint.port)"
        guard case .certificate(let problem) = error.reason else {
            return .failed("tls", "\(error)", remedy(for: error.reason), kind(of: error.reason))
        }
        let (seen, remedy) = explanation(of: problem, place)
        return .failed("tls", seen, remedy, .refused)
    }

    private func explanation(
        of problem: CertificateProblem,
        _ place: String
    ) -> (seen: String, remedy: String) {
        let now = Days.moment(Date())
        let pin =
            "run 'divan certs show \(place) --save server.pem', compare the fingerprint, and use "
            + "'--pin server.pem'"
        return switch problem {
        case .unknownRoot(let issuer):
            (
                "certificate signed by an unknown authority: \(issuer)",
                "use '--trust AUTHORITY.pem'; or \(pin)"
            )
        case .notPinned:
            (
                "server certificate does not match the pinned certificate",
                "if the server has a new key, \(pin)"
            )
        case .notSelfSigned(let count):
            (
                "--accept-self-signed requires a single self-signed certificate; the server sent a "
                    + "chain of \(count)",
                "remove '--accept-self-signed', or use '--trust'"
            )
        case .revoked: ("the certificate was revoked", "install a new certificate on the server")
        case .expired(let date):
            (
                "the certificate expired on \(Days.moment(date)) (local time: \(now))",
                "renew the server's certificate, or correct this machine's clock ('timedatectl')"
            )
        case .notYetValid(let date):
            (
                "the certificate is not valid before \(Days.moment(date)) (local time: \(now))",
                "correct the clock of this machine, or of the one that created the certificate "
                    + "('timedatectl')"
            )
        case .wrongName(let expected, let claimed):
            (
                "the certificate is for \(claimed.joined(separator: ", ")), not for \(expected)",
                "use one of these names in the URL, or create a certificate for \(expected)"
            )
        case .refusedByCallback, .invalid:
            ("invalid certificate: \(problem)", "run 'divan certs show \(place)' to inspect it")
        }
    }

    private func remedy(for reason: TLSError.Reason) -> String {
        switch reason {
        case .plaintextHTTP, .notTLS, .closedDuringHandshake, .truncated:
            "use a ws:// URL, or the server's TLS port"
        case .clientCertificateRequired: "add '--identity LABEL' to send a client certificate"
        case .certificateRefused:
            "add this client certificate, or its authority, to the server's configuration"
        case .unsupportedVersion: "enable TLS 1.2 or later on the server"
        default: "check the server's log"
        }
    }

    private func kind(of reason: TLSError.Reason) -> Failure.Kind {
        switch reason {
        case .clientCertificateRequired, .certificateRefused: .refused
        default: .unreachable
        }
    }

    // MARK: HTTP

    private func finding(
        ofStatus status: Int,
        _ explanation: String,
        _ headers: HTTPHeaders
    ) -> Finding {
        let said = Finding.answer(status, explanation)
        let skew = ClockFinding(headers).skewSentence.map { "; \($0)" } ?? ""
        switch status {
        case 401:
            let seen = shown.map { "the server refused \($0)" } ?? "authentication required"
            return .failed(
                "credentials",
                "\(seen): \(said)\(skew)",
                shown == nil
                    ? "use '--user' with '--password-file', '--token-file', '--session-file' or '--identity'"
                    : "check the credentials, with 'divan users verify' if the server is a Divan",
                .refused
            )
        case 403:
            return .failed(
                "rights",
                "\(shown ?? "an anonymous client") is not allowed to sync: \(said)",
                "ask the server's administrator for access to this database",
                .refused
            )
        case 404:
            return .failed(
                "database",
                "no such database on the server: \(said)",
                "check the last part of the URL; database names are case-sensitive",
                .notFound
            )
        case 408, 429, 500...504:
            let wait = headers["Retry-After"].map { ", retry after \($0) s" } ?? ""
            let seen = "the server is busy or failing: \(said)\(wait)"
            let remedy = "try again later, and check the server's log"
            return .failed("server", seen, remedy, .unreachable)
        case 511:
            let remedy = "open any page in a browser on this machine, and sign in"
            let seen = "this network requires you to sign in first: \(said)"
            return .failed("network", seen, remedy, .unreachable)
        default:
            if !endpoint.isSecure, !isProxied, speaksTLS { return wantsTLS }
            let remedy = "check that the URL is that of a Sync Gateway or Divan, and its path"
            return .failed("websocket", "unexpected response: \(said)", remedy, .unreachable)
        }
    }
}

extension TransportError.Reason {
    /// The error without the place, which the doctor has already reported, and without the remedy.
    fileprivate func sentence(of error: TransportError) -> String {
        let text = "\(error)"
        let prefix = "\(error.place): "
        let problem = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        return Failure(kind: .unreachable, text: problem).sentence
    }
}
