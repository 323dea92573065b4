/// How a client judges the certificate of a server.
///
/// Source: `tls-and-auth.md` §2, with its **Choose** rule.
public enum ServerTrust: Sendable {
    /// The system's roots; the validity and the host name or IP address are checked.
    ///
    /// OpenSSL's default paths and `/etc/ssl/certs`; `SSL_CERT_FILE` and `SSL_CERT_DIR` apply.
    case systemRoots
    /// These roots in place of the system's, otherwise as `systemRoots`.
    case roots([TLSCertificate])
    /// The leaf has these DER bytes, or another presented certificate has them and signed the leaf,
    /// over intermediates or not; neither validity nor name is checked.
    case pinned(TLSCertificate)
    /// Exactly one certificate was presented and it signed itself; nothing else is checked.
    case selfSignedOnly
    /// The application decides, leaf first; called on the session's thread, in the handshake.
    case callback(@Sendable ([TLSCertificate]) -> Bool)

    /// Whether the session must know the server's name.
    var checksName: Bool {
        switch self {
        case .systemRoots, .roots: true
        case .pinned, .selfSignedOnly, .callback: false
        }
    }
}

/// Which certificate a server wants from its clients.
///
/// Source: `tls-and-auth.md` §4. The list of acceptable authorities is never sent.
public enum ClientCertificatePolicy: Sendable {
    /// None is asked for.
    case none
    /// One is required; it must chain to one of these roots and be within its validity.
    case roots([TLSCertificate])
    /// One is required; the application decides, on the session's thread, in the handshake.
    case callback(@Sendable ([TLSCertificate]) -> Bool)
}
