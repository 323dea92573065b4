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
        // We close the connection when the patience ends, and may hear of that first.
        case nil, .clean(_, _, isByPeer: false)?: silence
        case .clean(let code, let reason, isByPeer: true)?:
            .failed(
                "websocket",
                "the server closed with \(code) \(reason)",
                "see the server's log",
                .unreachable
            )
        case .failed(let error)?: finding(of: error)
        }
    }

    /// Whether nothing at all was received; asking again would only wait again.
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
                "the proxy is there, and nothing was said for \(patience) s after our request",
                "check host and port of --proxy and of the URL, and the proxy's log",
                .unreachable
            )
        }
        return .failed(
            "websocket",
            "TCP is there, and nothing was said for \(patience) s after our "
                + (endpoint.isSecure ? "TLS greeting" : "request for a WebSocket"),
            endpoint.isSecure
                ? "see whether a TLS server listens on this port: divan certs show "
                    + "\(endpoint.host):\(endpoint.port)"
                : "another program may have the port, or a firewall holds the bytes",
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
                "use the URL of the final place",
                .unreachable
            )
        case .timeout: silence
        case .abnormalClose, .system, .frame: brokenOff(error)
        case .nameLookup, .unknownHost, .unknownInterface:
            .failed("name", "\(error)", "check the name", .unreachable)
        }
    }

    /// The server closed the connection without a word: often it expects TLS.
    private func brokenOff(_ error: TransportError) -> Finding {
        if !endpoint.isSecure, !isProxied, speaksTLS { return wantsTLS }
        return .failed(
            "websocket",
            error.reason.sentence(of: error),
            "see the server's log; something in between may have cut the connection",
            .unreachable
        )
    }

    private var speaksTLS: Bool {
        ServerProbe.speaksTLS(host: endpoint.lookupName, port: endpoint.port)
    }

    private var wantsTLS: Finding {
        .failed("tls", "the server speaks TLS, the URL says ws://", "write wss://", .unreachable)
    }

    private func finding(of problem: HandshakeError) -> Finding {
        if !endpoint.isSecure, !isProxied, speaksTLS { return wantsTLS }
        switch problem.reason {
        case .subprotocol, .noSubprotocol:
            let remedy = "the URL leads to another service, or one of both sides is too old"
            return .failed("protocol", "no protocol is common: \(problem)", remedy, .unreachable)
        default: break
        }
        return .failed(
            "websocket",
            "the answer is no WebSocket's: \(problem)",
            "check the path in the URL, and that a proxy in between passes WebSockets on",
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
        let pin = "divan certs show \(place) --save server.pem, compare it, then --pin server.pem"
        return switch problem {
        case .unknownRoot(let issuer):
            ("nobody here knows the authority \(issuer)", "--trust AUTHORITY.pem, or \(pin)")
        case .notPinned:
            (
                "the server shows another certificate than the pinned one",
                "if it was renewed: \(pin)"
            )
        case .notSelfSigned(let count):
            (
                "--accept-self-signed takes one self-signed certificate; this chain has \(count)",
                "leave the option out, or use --trust"
            )
        case .revoked: ("the certificate was revoked", "the server needs a new one")
        case .expired(let date):
            (
                "the certificate expired on \(Days.moment(date)); the clock here says \(now)",
                "renew the server's certificate, or correct this clock if it is wrong: timedatectl"
            )
        case .notYetValid(let date):
            (
                "the certificate begins on \(Days.moment(date)); the clock here says \(now)",
                "correct the clock here, or there if it was made with a wrong one: timedatectl"
            )
        case .wrongName(let expected, let claimed):
            (
                "the certificate is for \(claimed.joined(separator: ", ")), not for \(expected)",
                "use one of its names in the URL, or make one for \(expected)"
            )
        case .refusedByCallback, .invalid:
            ("the certificate cannot be used: \(problem)", "look at it: divan certs show \(place)")
        }
    }

    private func remedy(for reason: TLSError.Reason) -> String {
        switch reason {
        case .plaintextHTTP, .notTLS, .closedDuringHandshake, .truncated:
            "the server speaks no TLS here: write ws://, or use its TLS port"
        case .clientCertificateRequired: "the server wants a certificate: --identity LABEL"
        case .certificateRefused:
            "the server does not know our certificate: tell it of its authority"
        case .unsupportedVersion: "the server needs TLS 1.2 or later"
        default: "see the server's log"
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
            let seen =
                shown.map { "the server refuses \($0)" } ?? "the server wants to know who we are"
            return .failed(
                "credentials",
                "\(seen): \(said)\(skew)",
                shown == nil
                    ? "--user NAME with --password-file, --session-file, or --identity"
                    : "check name and password; divan users verify on the server's side",
                .refused
            )
        case 403:
            return .failed(
                "rights",
                "\(shown ?? "nobody in particular") may not sync here: \(said)",
                "ask for the right to this database",
                .refused
            )
        case 404:
            return .failed(
                "database",
                "there is no such database there: \(said)",
                "check the last part of the URL; names are told apart by case",
                .notFound
            )
        case 408, 429, 500...504:
            let wait = headers["Retry-After"].map { ", and asks to wait \($0) s" } ?? ""
            let remedy = "try again later; see the server's log"
            return .failed("server", "it is busy or broken: \(said)\(wait)", remedy, .unreachable)
        case 511:
            let remedy = "open any page in a browser on this machine, and log in there"
            let seen = "this network wants a login before it lets anything through: \(said)"
            return .failed("network", seen, remedy, .unreachable)
        default:
            if !endpoint.isSecure, !isProxied, speaksTLS { return wantsTLS }
            let remedy = "this is no Sync Gateway or Divan, or the path is wrong"
            return .failed("websocket", "the server answers \(said)", remedy, .unreachable)
        }
    }
}

extension TransportError.Reason {
    /// What went wrong, without the place, which the doctor has already reported.
    fileprivate func sentence(of error: TransportError) -> String {
        let text = "\(error)"
        let prefix = "\(error.place): "
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
}
