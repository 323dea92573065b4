/// The common settings of a client's sessions.
public struct ClientTLSConfiguration: Sendable {
    /// How servers are judged.
    public var serverTrust: ServerTrust
    /// The certificate to present if a server asks for one.
    public var credential: TLSCredential?
    /// The versions that are offered; both by default.
    public var versions: ClosedRange<TLSVersion>
    /// ALPN names, in order of preference, 1 to 255 bytes each (RFC 7301); with none, nothing is offered.
    public var applicationProtocols: [String]
    /// Whether to ask servers for tickets, which `TLSSession.resumption` then returns.
    public var resumesSessions: Bool

    /// By default trusts the system's roots and has no certificate of its own.
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
    /// The versions that are accepted; both by default.
    public var versions: ClosedRange<TLSVersion>
    /// ALPN names, in order of preference, 1 to 255 bytes each (RFC 7301).
    ///
    /// The first that a client also offers is chosen. A client that offers only others is refused, one that offers none
    /// is not; with no names here the extension is ignored.
    public var applicationProtocols: [String]
    /// Whether clients get tickets with which they can resume a session for two hours.
    ///
    /// The tickets are sealed with a key that only this context has, in memory. A server that asks for client
    /// certificates issues none, so that it judges each connection anew.
    public var resumesSessions: Bool

    /// By default presents `credential` and requires nothing from clients.
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
