/// How a client judges a server's certificate.
///
/// Source: `tls-and-auth.md` §2, with its **Choose** rule.
public enum ServerTrust: Sendable {
    /// The system's roots; the validity and the host name or IP address are checked.
    ///
    /// OpenSSL's default paths and `/etc/ssl/certs`; `SSL_CERT_FILE` and `SSL_CERT_DIR` apply.
    case systemRoots
    /// These roots instead of the system's; otherwise like `systemRoots`.
    case roots([TLSCertificate])
    /// The leaf has these DER bytes, or another presented certificate has them and signed the leaf, directly or through
    /// intermediates; neither validity nor name is checked.
    case pinned(TLSCertificate)
    /// Exactly one certificate was presented and it is self-signed; nothing else is checked.
    case selfSignedOnly
    /// The application decides, leaf first; called on the session's thread, during the handshake.
    case callback(@Sendable ([TLSCertificate]) -> Bool)

    /// Whether the session must know the server's name.
    var checksName: Bool {
        switch self {
        case .systemRoots, .roots: true
        case .pinned, .selfSignedOnly, .callback: false
        }
    }
}

/// Which certificate a server requires from its clients.
///
/// Source: `tls-and-auth.md` §4. The list of acceptable authorities is never sent.
public enum ClientCertificatePolicy: Sendable {
    /// None is requested.
    case none
    /// One is required; it must chain to one of these roots and be within its validity.
    case roots([TLSCertificate])
    /// One is required; the application decides, on the session's thread, during the handshake.
    case callback(@Sendable ([TLSCertificate]) -> Bool)
}
