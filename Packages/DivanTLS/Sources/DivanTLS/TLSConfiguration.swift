/// What a client's sessions have in common.
public struct ClientTLSConfiguration: Sendable {
    /// How servers are judged.
    public var serverTrust: ServerTrust
    /// What to present when a server asks for a certificate.
    public var credential: TLSCredential?

    /// Trusts the system's roots and has no certificate of its own, unless told otherwise.
    public init(serverTrust: ServerTrust = .systemRoots, credential: TLSCredential? = nil) {
        self.serverTrust = serverTrust
        self.credential = credential
    }
}

/// What a server's sessions have in common.
public struct ServerTLSConfiguration: Sendable {
    /// What the server presents.
    public var credential: TLSCredential
    /// What it wants from clients.
    public var clientCertificates: ClientCertificatePolicy

    /// Presents `credential` and asks clients for nothing, unless told otherwise.
    public init(
        credential: TLSCredential,
        clientCertificates: ClientCertificatePolicy = .none
    ) {
        self.credential = credential
        self.clientCertificates = clientCertificates
    }
}
