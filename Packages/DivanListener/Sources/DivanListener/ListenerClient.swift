public import DivanReplicator
public import DivanTLS
public import DivanTransport

/// A client that has authenticated, as far as it was asked to, and requests a database.
public struct ListenerClient: Sendable {
    /// The database's name, as the client wrote it into the path.
    public let database: String
    /// The user's name; `nil` without an authenticator that asks for one.
    public let user: String?
    /// The certificates that the client presented in the TLS handshake, leaf first.
    public let certificates: [TLSCertificate]
    /// The client's address and port, or those of a proxy.
    public let address: SocketAddress
    /// Whether the connection has TLS.
    public let isSecure: Bool

    /// Describes a client.
    public init(
        database: String,
        user: String?,
        certificates: [TLSCertificate],
        address: SocketAddress,
        isSecure: Bool
    ) {
        self.database = database
        self.user = user
        self.certificates = certificates
        self.address = address
        self.isSecure = isSecure
    }
}

/// What a client may do with the requested database.
public enum ListenerAccess: Sendable {
    /// Replicate within these bounds, for as long as `isCurrent` says so; `nil` means until the connection ends.
    ///
    /// `isCurrent` is asked at each `ListenerServer.dropOutdated`, on any thread; it must return quickly.
    case granted(PeerConfiguration.PassiveOptions, isCurrent: (@Sendable () -> Bool)? = nil)
    /// Nothing; the answer is 403 with this text.
    case refused(explanation: String)
}
