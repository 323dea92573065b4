import DivanAuth
import DivanDatabase
import DivanListener
import DivanReplicator
import DivanSession
import DivanTLS
import DivanTransport
import Foundation

extension URLEndpointListenerConfiguration {
    /// The identity to listen with: the given one, an anonymous one, or none without TLS.
    func usedIdentity() throws -> TLSIdentity? {
        if disableTLS { return nil }
        if let tlsIdentity { return tlsIdentity }
        return try AnonymousIdentities.identity(
            forDatabase: try home.openStore().publicUUID,
            in: identities ?? IdentityLocation.store
        )
    }

    /// The listener's settings as the package below expects them.
    ///
    /// - Throws: `invalidParameter` for a certificate authenticator without TLS or an invalid address of a proxy,
    ///   `unsupported` for an authenticator of an unknown type, `notOpen` for a closed database or a deleted
    ///   collection.
    func serverConfiguration(identity: TLSIdentity?) throws -> ListenerConfiguration {
        let store = try home.openStore()
        try collections.requireOpen()
        try compression.check()
        let options = passiveOptions(store)
        var database = ListenerConfiguration.SharedDatabase(
            store: store,
            peer: passivePeer(options, store)
        )
        database.access = { [collections, access] client in
            // A collection may have been created since the listener was started.
            let options = options.bindingBlobs(of: store)
            guard let access else { return .granted(options) }
            return ServiceCallback.run { access(ListenerClient(client)) }
                .decision(within: options, of: collections)
        }
        database.sparesLoopback = compression == .automatic
        var configuration = ListenerConfiguration(databases: [home.name: database])
        configuration.port = port ?? 0
        configuration.interface = networkInterface
        configuration.credential = identity?.credential
        configuration.trustedProxies = try proxies()
        configuration.heartbeat = .bounded(seconds: max(1.1, heartbeat))
        configuration.limits = limits.engineLimits
        if let onRefusal {
            configuration.onRefusal = { refusal in
                ServiceCallback.run { onRefusal(ListenerRefusal(refusal)) }
            }
        }
        configuration.onEvent = observer?.receiver
        switch authenticator {
        case nil:
            break
        case let password as ListenerPasswordAuthenticator:
            configuration.authenticator = PasswordListenerAuthenticator { name, secret in
                ServiceCallback.run { password.isAccepted(name, secret) }
            }
        case let own as any CustomListenerAuthenticator:
            configuration.authenticator = ListenerAuthenticatorAdapter(source: own)
        case let adapted as AdaptedListenerAuthenticator:
            configuration.authenticator = adapted.authenticator
        case let certificate as ListenerCertificateAuthenticator:
            guard !disableTLS else { throw ReplicationFailure.certificatesWithoutTLS }
            configuration.clientCertificates = certificate.policy
        case let other?:
            throw ReplicationFailure.unknownAuthenticator("\(type(of: other))")
        }
        return configuration
    }

    private func proxies() throws -> TrustedProxies {
        guard let proxies = TrustedProxies(trustedProxies) else {
            throw ReplicationFailure.invalidProxies(trustedProxies)
        }
        return proxies
    }

    private func passiveOptions(_ store: Store) -> PeerConfiguration.PassiveOptions {
        var options = PeerConfiguration.PassiveOptions(
            collections: collections.map(\.path),
            allowsPush: !readOnly
        )
        options.shared = SharedRevisions(of: store)
        return options
    }

    private func passivePeer(
        _ options: PeerConfiguration.PassiveOptions,
        _ store: Store
    ) -> PeerConfiguration {
        var peer = PeerConfiguration(role: .passive(options), codec: compression.codec)
        peer.scheme = store.scheme
        peer.usesDeltas = enableDeltaSync
        compression.apply(toPassive: &peer)
        return peer
    }
}

extension ListenerCertificateAuthenticator {
    fileprivate var policy: ClientCertificatePolicy {
        switch rule {
        case .roots(let roots):
            .roots(roots.map(\.certificate))
        case .callback(let isAccepted):
            .callback { chain in
                ServiceCallback.run { isAccepted(chain.map { TLSCertificate($0) }) }
            }
        }
    }
}

/// Adapts an application's authenticator to the package below.
private struct ListenerAuthenticatorAdapter: DivanAuth.ListenerAuthenticator {
    let source: any CustomListenerAuthenticator

    var credentialFields: [String] { source.credentialFields }

    func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        switch ServiceCallback.run({ source.authenticate(ListenerRequest(request)) }) {
        case .accepted(let user): .accepted(user: user)
        case .refused(let challenge): .refused(challenge: challenge)
        }
    }
}
