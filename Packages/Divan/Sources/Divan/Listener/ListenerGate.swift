public import DivanAuth
import DivanListener
public import DivanTLS

/// Who a listener lets in and how it speaks TLS, for another server of this process that serves the
/// same clients.
@_spi(Stores) public struct ListenerGate: Sendable {
    /// How TLS is spoken; `nil` without it.
    public let tls: TLSContext?
    /// Lets clients in.
    public let authenticator: any DivanAuth.ListenerAuthenticator
}

extension URLEndpointListener {
    /// The gate of a listener that listens.
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
