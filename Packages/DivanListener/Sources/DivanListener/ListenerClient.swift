public import DivanReplicator
public import DivanTLS
public import DivanTransport

/// An authenticated client that requests a database.
public struct ListenerClient: Sendable {
    /// The database name in the request's path.
    public let database: String
    /// The user name; `nil` if the authenticator does not require one.
    public let user: String?
    /// The certificates that the client presented in the TLS handshake, leaf first.
    public let certificates: [TLSCertificate]
    /// The client's address and port, or those of a proxy.
    public let address: SocketAddress
    /// Whether the connection uses TLS.
    public let isSecure: Bool
    /// The bearer token in the request, which an authenticator that checks tokens has accepted; a secret.
    public let token: String?

    /// Describes a client.
    public init(
        database: String,
        user: String?,
        certificates: [TLSCertificate],
        address: SocketAddress,
        isSecure: Bool,
        token: String? = nil
    ) {
        self.database = database
        self.user = user
        self.certificates = certificates
        self.address = address
        self.isSecure = isSecure
        self.token = token
    }
}

/// The access of a client to the requested database.
public enum ListenerAccess: Sendable {
    /// The client can replicate with these options while `isCurrent` returns true; `nil` means until the connection
    /// ends.
    ///
    /// `isCurrent` is called by `ListenerServer.dropOutdated`, on any thread; it must return quickly.
    case granted(PeerConfiguration.PassiveOptions, isCurrent: (@Sendable () -> Bool)? = nil)
    /// No access; the response is 403 with this text.
    case refused(explanation: String)
}
