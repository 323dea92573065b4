import CDivanTLS
import DivanCrypto

/// A session that could not be set up, or had to end; report it, send what `takeOutput` holds, close.
public struct TLSError: Error, Equatable, Sendable {
    /// What went wrong, with the offending values.
    public enum Reason: Equatable, Sendable {
        /// We refuse the peer's certificate.
        case certificate(CertificateProblem)
        /// The client presented no certificate although this server requires one.
        case clientCertificateMissing
        /// The server wants a certificate and we have none; the alert's number.
        case clientCertificateRequired(alert: UInt8)
        /// The peer refuses our certificate; the alert's number.
        case certificateRefused(alert: UInt8)
        /// The peer aborted for another reason; the alert's number.
        case alert(UInt8)
        /// The peer speaks HTTP without TLS.
        case plaintextHTTP
        /// The peer's first bytes, up to eight, are not a TLS record.
        case notTLS(firstBytes: [UInt8])
        /// The peer offers neither TLS 1.2 nor 1.3.
        case unsupportedVersion
        /// The two ends have no application protocol (ALPN) in common.
        case noApplicationProtocol
        /// The handshake failed for another reason; OpenSSL's error code.
        case handshake(code: UInt)
        /// A record is damaged or forged, or the peer violated the protocol; OpenSSL's error code.
        case record(code: UInt)
        /// The connection ended before the handshake did.
        case closedDuringHandshake
        /// The connection ended without a close_notify: bytes may be missing.
        case truncated
        /// `send` was called before the session was open, or after `close`.
        case notOpen
        /// The trust mode compares names but the session was given none.
        case serverNameMissing
        /// The server name is empty, too long, or contains characters that host names do not have.
        case serverNameInvalid(String)
        /// An ALPN name is empty or longer than 255 bytes.
        case applicationProtocolInvalid(String)
        /// OpenSSL rejects the certificate or key, mostly as too weak; its error code.
        case credential(code: UInt)
        /// OpenSSL cannot be set up; its error code.
        case setup(code: UInt)
    }

    /// What went wrong.
    public let reason: Reason
    /// Our side of the session.
    public let role: TLSContext.Role
    /// The server to which a client connects.
    public let serverName: String?

    /// Combines a reason and its place.
    public init(_ reason: Reason, role: TLSContext.Role, serverName: String?) {
        self.reason = reason
        self.role = role
        self.serverName = serverName
    }

    /// The code in the Network domain; `nil` for an end that counts as a reset connection.
    ///
    /// A reset is transient (POSIX `ECONNRESET`), everything with a code is permanent.
    ///
    /// Source: `tls-and-auth.md` §2, §3; `websocket-and-urls.md` §5.
    public var networkCode: Int? {
        switch reason {
        case .certificate(let problem): problem.networkCode
        case .clientCertificateRequired: 9
        case .certificateRefused: 10
        // A record whose bytes changed in transit, detected by either end (alert 20, `bad_record_mac`).
        case .closedDuringHandshake, .truncated, .record, .alert(20): nil
        default: 6
        }
    }
}

extension TLSError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        let place =
            switch role {
            case .client: "TLS to \(serverName ?? "the server")"
            case .server: "TLS from a client"
            }
        return "\(place): \(reason.problem); \(reason.remedy)"
    }
}

extension TLSError.Reason {
    fileprivate var problem: String {
        switch self {
        case .certificate(let problem): problem.explanation.problem
        case .clientCertificateMissing: "it presented no certificate"
        case .clientCertificateRequired(let alert):
            "it requires a client certificate (\(alertText(alert)))"
        case .certificateRefused(let alert): "it refused our certificate (\(alertText(alert)))"
        case .alert(let alert): "it gave up (\(alertText(alert)))"
        case .plaintextHTTP: "it speaks HTTP without TLS"
        case .notTLS(let bytes):
            "it does not speak TLS, its first bytes are \(Hex.encode(bytes.span))"
        case .unsupportedVersion: "it offers neither TLS 1.2 nor TLS 1.3"
        case .noApplicationProtocol: "no application protocol is common to both sides"
        case .handshake(let code): "handshake failed (\(OpenSSLFailure.text(code)))"
        case .record(let code): "broken record (\(OpenSSLFailure.text(code)))"
        case .closedDuringHandshake: "the connection ended during the handshake"
        case .truncated: "the connection ended without close_notify"
        case .notOpen: "the session is not open for sending"
        case .serverNameMissing: "no server name to compare the certificate with"
        case .serverNameInvalid(let name): "\(name.debugDescription) is no host name"
        case .applicationProtocolInvalid(let name):
            "\(name.prefix(64).debugDescription) is no name of an application protocol"
        case .credential(let code):
            "own certificate or key refused (\(OpenSSLFailure.text(code)))"
        case .setup(let code): "OpenSSL setup failed (\(OpenSSLFailure.text(code)))"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .certificate(let problem): problem.explanation.remedy
        case .clientCertificateMissing: "give the client an identity"
        case .clientCertificateRequired: "set a client identity"
        case .certificateRefused:
            "use a certificate that the peer trusts, or make the peer trust this one"
        case .alert: "see the peer's log"
        case .plaintextHTTP: "use wss on both sides, or ws on both"
        case .notTLS: "check the port, or use ws"
        case .unsupportedVersion: "update the peer's TLS library"
        case .noApplicationProtocol: "compare the lists of application protocols"
        case .handshake: "compare both sides' TLS settings"
        case .record: "reconnect; look for a faulty proxy"
        case .closedDuringHandshake: "retry; see the peer's log"
        case .truncated: "retry; bytes may be missing"
        case .notOpen: "wait for State.open"
        case .serverNameMissing: "pass the host of the URL"
        case .serverNameInvalid: "pass the host of the URL in ASCII"
        case .applicationProtocolInvalid: "use 1 to 255 bytes, such as http/1.1"
        case .credential: "use RSA with 2,048 bits or more, or P-256, and SHA-256"
        case .setup: "check OpenSSL's setup"
        }
    }

    private func alertText(_ alert: UInt8) -> String {
        guard let text = SSL_alert_desc_string_long(Int32(alert)) else { return "alert \(alert)" }
        return "alert \(alert), \(String(cString: text))"
    }
}
