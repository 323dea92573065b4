/// The common settings of a client's sessions.
public struct ClientTLSConfiguration: Sendable {
    /// How servers are verified.
    public var serverTrust: ServerTrust
    /// The certificate to present if a server requests one.
    public var credential: TLSCredential?
    /// The offered versions; both by default.
    public var versions: ClosedRange<TLSVersion>
    /// ALPN names, in order of preference, 1 to 255 bytes each (RFC 7301); if empty, the extension is not sent.
    public var applicationProtocols: [String]
    /// Whether to request tickets from servers, which `TLSSession.resumption` then returns.
    public var resumesSessions: Bool

    /// Creates a configuration that by default trusts the system's roots and has no client certificate.
    public init(
        serverTrust: ServerTrust = .systemRoots,
        credential: TLSCredential? = nil,
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
        applicationProtocols: [String] = [],
        resumesSessions: Bool = false
    ) {
        self.serverTrust = serverTrust
        self.credential = credential
        self.versions = versions
        self.applicationProtocols = applicationProtocols
        self.resumesSessions = resumesSessions
    }
}

/// The common settings of a server's sessions.
public struct ServerTLSConfiguration: Sendable {
    /// The certificate that the server presents.
    public var credential: TLSCredential
    /// The certificates that it requires from clients.
    public var clientCertificates: ClientCertificatePolicy
    /// The accepted versions; both by default.
    public var versions: ClosedRange<TLSVersion>
    /// ALPN names, in order of preference, 1 to 255 bytes each (RFC 7301).
    ///
    /// The first name that a client also offers is chosen. A client that offers only other names is refused, but a
    /// client that offers none is accepted. If the list is empty, the extension is ignored.
    public var applicationProtocols: [String]
    /// Whether clients get tickets to resume a session within two hours.
    ///
    /// The tickets are encrypted with a key that exists only in this context, in memory. A server that requests
    /// client certificates issues no tickets, so that it verifies each connection.
    public var resumesSessions: Bool

    /// Creates a configuration that presents `credential` and by default requires no client certificates.
    public init(
        credential: TLSCredential,
        clientCertificates: ClientCertificatePolicy = .none,
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
        applicationProtocols: [String] = [],
        resumesSessions: Bool = false
    ) {
        self.credential = credential
        self.clientCertificates = clientCertificates
        self.versions = versions
        self.applicationProtocols = applicationProtocols
        self.resumesSessions = resumesSessions
    }
}
