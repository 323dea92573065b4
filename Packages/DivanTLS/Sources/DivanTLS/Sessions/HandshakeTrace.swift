import CDivanTLS

/// What a session records at its start, to explain a failure.
struct HandshakeTrace {
    let role: TLSContext.Role
    let hasCredential: Bool
    var isHandshaking = true
    var hasReceivedData = false
    var isCertificateRequested = false
    /// Why we refused the peer's certificate.
    var refusal: CertificateProblem?
    /// The peer's first bytes, which show what protocol it speaks.
    private var firstBytes: [UInt8] = []

    init(role: TLSContext.Role, hasCredential: Bool) {
        self.role = role
        self.hasCredential = hasCredential
    }

    /// Keeps the first eight bytes.
    mutating func receive(_ ciphertext: Span<UInt8>) {
        guard firstBytes.count < 8 else { return }
        let missing = ciphertext.extracting(first: 8 - firstBytes.count)
        missing.withUnsafeBytes { firstBytes.append(contentsOf: $0) }
    }

    /// Finds the reason behind OpenSSL's error code.
    func reason(_ code: UInt) -> TLSError.Reason {
        if let refusal { return .certificate(refusal) }
        guard ERR_GET_LIB(code) == ERR_LIB_SSL else { return unexplained(code) }
        let number = ERR_GET_REASON(code)
        // The peer's alerts are reasons from 1,000 up.
        if let alert = UInt8(exactly: number - SSL_AD_REASON_OFFSET) { return reason(alert: alert) }
        return switch number {
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: .clientCertificateMissing
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW: .unsupportedVersion
        case SSL_R_NO_APPLICATION_PROTOCOL: .noApplicationProtocol
        default: unexplained(code)
        }
    }

    private func unexplained(_ code: UInt) -> TLSError.Reason {
        guard isHandshaking else { return .record(code: code) }
        let methods = ["GET ", "HEAD", "POST", "PUT ", "OPTI", "CONN", "DELE", "PATC", "HTTP"]
        let text = String(decoding: firstBytes.prefix(4), as: UTF8.self)
        if methods.contains(text) { return .plaintextHTTP }
        // A TLS stream starts with a handshake record or an alert, and version 3.x.
        let isTLS = firstBytes.starts(with: [22, 3]) || firstBytes.starts(with: [21, 3])
        return isTLS ? .handshake(code: code) : .notTLS(firstBytes: firstBytes)
    }

    private func reason(alert: UInt8) -> TLSError.Reason {
        // In TLS 1.3 the server judges our certificate after our handshake has ended; its alert then arrives with the
        // first read (`tls-and-auth.md` §3).
        guard isHandshaking || (role == .client && !hasReceivedData) else { return .alert(alert) }
        return switch alert {
        case 41, 116: .clientCertificateRequired(alert: alert)
        case 42...49: .certificateRefused(alert: alert)
        // OpenSSL's answer to a missing certificate in TLS 1.2.
        case 40 where isCertificateRequested && !hasCredential:
            .clientCertificateRequired(alert: alert)
        case 70: .unsupportedVersion
        case 120: .noApplicationProtocol
        default: .alert(alert)
        }
    }
}
