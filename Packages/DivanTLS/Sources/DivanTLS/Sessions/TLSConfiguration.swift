/// What a client's sessions have in common.
public struct ClientTLSConfiguration: Sendable {
    /// How servers are judged.
    public var serverTrust: ServerTrust
    /// What to present when a server asks for a certificate.
    public var credential: TLSCredential?
    /// The versions that are offered; both unless told otherwise.
    public var versions: ClosedRange<TLSVersion>
    /// Names for ALPN, by preference, 1 to 255 bytes each (RFC 7301); none offers nothing.
    public var applicationProtocols: [String]
    /// Whether servers are asked for tickets, which `TLSSession.resumption` then hands out.
    public var resumesSessions: Bool

    /// Trusts the system's roots and has no certificate of its own, unless told otherwise.
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

/// What a server's sessions have in common.
public struct ServerTLSConfiguration: Sendable {
    /// What the server presents.
    public var credential: TLSCredential
    /// What it wants from clients.
    public var clientCertificates: ClientCertificatePolicy
    /// The versions that are accepted; both unless told otherwise.
    public var versions: ClosedRange<TLSVersion>
    /// Names for ALPN, by preference, 1 to 255 bytes each (RFC 7301).
    ///
    /// The first that a client offers too is chosen. A client that offers only others is refused,
    /// one that offers none is not; with no names here the extension is ignored.
    public var applicationProtocols: [String]
    /// Whether clients get tickets with which they resume a session, for two hours.
    ///
    /// The tickets are sealed with a key that this context alone has, in memory. A server that
    /// asks for client certificates gives none, so that it judges each connection anew.
    public var resumesSessions: Bool

    /// Presents `credential` and asks clients for nothing, unless told otherwise.
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
