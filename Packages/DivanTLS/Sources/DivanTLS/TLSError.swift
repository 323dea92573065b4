import CDivanTLS
import DivanCrypto

/// An error of a session; report it, send the bytes of `takeOutput`, and close the connection.
public struct TLSError: Error, Equatable, Sendable {
    /// What went wrong, with the values.
    public enum Reason: Equatable, Sendable {
        /// The peer's certificate was rejected.
        case certificate(CertificateProblem)
        /// The client presented no certificate, but this server requires one.
        case clientCertificateMissing
        /// The server requires a client certificate, but none is configured; the alert's number.
        case clientCertificateRequired(alert: UInt8)
        /// The peer rejected the local certificate; the alert's number.
        case certificateRefused(alert: UInt8)
        /// The peer ended the handshake for another reason; the alert's number.
        case alert(UInt8)
        /// The peer uses HTTP without TLS.
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
        /// The connection ended during the handshake.
        case closedDuringHandshake
        /// The connection ended without a close_notify: bytes may be missing.
        case truncated
        /// `send` was called before the session was open, or after `close`.
        case notOpen
        /// The trust mode checks the server name, but the session has none.
        case serverNameMissing
        /// The server name is empty, too long, or contains characters that host names do not have.
        case serverNameInvalid(String)
        /// An ALPN name is empty or longer than 255 bytes.
        case applicationProtocolInvalid(String)
        /// OpenSSL rejects the certificate or key, usually as too weak; its error code.
        case credential(code: UInt)
        /// OpenSSL cannot be set up; its error code.
        case setup(code: UInt)
    }

    /// What went wrong.
    public let reason: Reason
    /// The local side of the session.
    public let role: TLSContext.Role
    /// The server that a client connects to.
    public let serverName: String?

    /// Creates an error.
    public init(_ reason: Reason, role: TLSContext.Role, serverName: String?) {
        self.reason = reason
        self.role = role
        self.serverName = serverName
    }

    /// The code in the Network domain; `nil` for errors that count as a reset connection.
    ///
    /// A reset is transient (POSIX `ECONNRESET`); errors with a code are permanent.
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
        case .clientCertificateMissing: "the client presented no certificate"
        case .clientCertificateRequired(let alert):
            "the server requires a client certificate (\(alertText(alert)))"
        case .certificateRefused(let alert):
            "the peer rejected the local certificate (\(alertText(alert)))"
        case .alert(let alert): "the peer ended the handshake (\(alertText(alert)))"
        case .plaintextHTTP: "the peer uses plain HTTP, not TLS"
        case .notTLS(let bytes):
            "the peer does not use TLS (first bytes: \(Hex.encode(bytes.span)))"
        case .unsupportedVersion: "the peer supports neither TLS 1.2 nor TLS 1.3"
        case .noApplicationProtocol: "no application protocol in common"
        case .handshake(let code): "handshake failed (\(OpenSSLFailure.text(code)))"
        case .record(let code): "invalid record (\(OpenSSLFailure.text(code)))"
        case .closedDuringHandshake: "connection closed during the handshake"
        case .truncated: "connection closed without close_notify"
        case .notOpen: "the session is not open for sending"
        case .serverNameMissing: "no server name to verify the certificate against"
        case .serverNameInvalid(let name): "invalid host name \(name.debugDescription)"
        case .applicationProtocolInvalid(let name):
            "invalid application protocol \(name.prefix(64).debugDescription)"
        case .credential(let code):
            "OpenSSL rejects the local certificate or key (\(OpenSSLFailure.text(code)))"
        case .setup(let code): "OpenSSL setup failed (\(OpenSSLFailure.text(code)))"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .certificate(let problem): problem.explanation.remedy
        case .clientCertificateMissing: "configure an identity on the client"
        case .clientCertificateRequired: "set a client identity"
        case .certificateRefused:
            "use a certificate that the peer trusts, or make the peer trust this one"
        case .alert: "check the peer's log"
        case .plaintextHTTP: "use wss on both sides, or ws on both"
        case .notTLS: "check the port, or use ws"
        case .unsupportedVersion: "update the peer's TLS library"
        case .noApplicationProtocol: "compare the application protocols of both sides"
        case .handshake: "compare the TLS settings of both sides"
        case .record: "reconnect; check for a faulty proxy"
        case .closedDuringHandshake: "retry; check the peer's log"
        case .truncated: "retry; data may be missing"
        case .notOpen: "wait for State.open"
        case .serverNameMissing: "pass the host of the URL"
        case .serverNameInvalid: "pass the host of the URL in ASCII"
        case .applicationProtocolInvalid: "use 1 to 255 bytes, such as http/1.1"
        case .credential: "use RSA with at least 2,048 bits, or P-256, and SHA-256"
        case .setup: "check the OpenSSL installation"
        }
    }

    private func alertText(_ alert: UInt8) -> String {
        guard let text = SSL_alert_desc_string_long(Int32(alert)) else { return "alert \(alert)" }
        return "alert \(alert), \(String(cString: text))"
    }
}
