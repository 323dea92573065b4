public import DivanAuth
import DivanListener
public import DivanTLS

/// The TLS settings and authenticator of a listener, for another server in this process with the same clients.
@_spi(Stores) public struct ListenerGate: Sendable {
    /// The TLS settings; `nil` without TLS.
    public let tls: TLSContext?
    /// Authenticates clients.
    public let authenticator: any DivanAuth.ListenerAuthenticator
}

extension URLEndpointListener {
    /// The gate of a running listener.
    ///
    /// - Throws: Errors thrown by `start()`.
    @_spi(Stores) public func gate() throws -> ListenerGate {
        try translatingErrors { try gate(identity: tlsIdentity, config) }
    }

    /// Changes the identity and the certificate authenticator for new connections.
    ///
    /// Open connections continue. The listener's configuration does not change.
    ///
    /// - Returns: The new gate.
    /// - Throws: Errors thrown by `start()`; nothing changes then.
    @_spi(Stores) public func replace(
        identity: TLSIdentity?,
        authenticator: (any ListenerAuthenticator)?
    ) throws -> ListenerGate {
        try translatingErrors {
            var changed = config
            changed.tlsIdentity = identity
            changed.authenticator = authenticator
            let used = try changed.usedIdentity()
            let gate = try gate(identity: used, changed)
            if let context = gate.tls { present(used, context) }
            return gate
        }
    }

    private func gate(
        identity: TLSIdentity?,
        _ config: URLEndpointListenerConfiguration
    ) throws -> ListenerGate {
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
