/// How a client verifies a server's certificate.
///
/// Source: `tls-and-auth.md` §2, with the rule for Divan.
public enum ServerTrust: Sendable {
    /// Trusts the system's roots; checks the validity and the host name or IP address.
    ///
    /// Uses OpenSSL's default paths and `/etc/ssl/certs`; `SSL_CERT_FILE` and `SSL_CERT_DIR` apply.
    case systemRoots
    /// Trusts these roots instead of the system's; otherwise like `systemRoots`.
    case roots([TLSCertificate])
    /// Trusts this certificate and its renewals (`TLSCertificate.matches(pin:)`).
    ///
    /// A leaf is trusted too if one of them is presented and has signed it, directly or through intermediates. Neither
    /// validity nor name is checked.
    case pinned(TLSCertificate)
    /// Trusts any single self-signed certificate; checks nothing else.
    case selfSignedOnly
    /// Trusts these roots, checks the validity, and then calls the application as `callback` does; no name is checked.
    ///
    /// For peers that are identified by their certificates, whatever their addresses are.
    case peers(roots: [TLSCertificate], and: @Sendable ([TLSCertificate]) -> Bool)
    /// Calls the application with the certificates, leaf first, on the session's thread during the handshake.
    case callback(@Sendable ([TLSCertificate]) -> Bool)

    /// Whether the session must know the server's name.
    var checksName: Bool {
        switch self {
        case .systemRoots, .roots: true
        case .pinned, .selfSignedOnly, .peers, .callback: false
        }
    }
}

/// The certificates that a server requires from its clients.
///
/// Source: `tls-and-auth.md` §4. The list of acceptable authorities is never sent.
public enum ClientCertificatePolicy: Sendable {
    /// No certificate is requested.
    case none
    /// Requires a valid certificate that chains to one of these roots.
    case roots([TLSCertificate])
    /// Requires a certificate that the application accepts; called on the session's thread during the handshake.
    case callback(@Sendable ([TLSCertificate]) -> Bool)
}
