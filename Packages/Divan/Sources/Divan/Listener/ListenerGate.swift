public import DivanAuth
import DivanListener
public import DivanTLS

/// How a listener authenticates clients and uses TLS, for another server in this process with the same clients.
@_spi(Stores) public struct ListenerGate: Sendable {
    /// The TLS settings; `nil` without TLS.
    public let tls: TLSContext?
    /// Authenticates clients.
    public let authenticator: any DivanAuth.ListenerAuthenticator
}

extension URLEndpointListener {
    /// The gate of a running listener.
    ///
    /// - Throws: What `start()` throws.
    @_spi(Stores) public func gate() throws -> ListenerGate {
        try translatingErrors {
            let identity = tlsIdentity
            let settings = try config.serverConfiguration(identity: identity)
            let context = try settings.credential.map { credential in
                try TLSContext.server(
                    ServerTLSConfiguration(
                        credential: credential,
                        clientCertificates: settings.clientCertificates,
                        resumesSessions: true
                    )
                )
            }
            return ListenerGate(tls: context, authenticator: settings.authenticator)
        }
    }
}
