import DivanAuth
import DivanListener
import DivanReplicator
import DivanStore
import DivanTLS
import Foundation

extension URLEndpointListenerConfiguration {
    /// The identity to listen with: the given one, an anonymous one, or none without TLS.
    func usedIdentity() throws -> TLSIdentity? {
        if disableTLS { return nil }
        if let tlsIdentity { return tlsIdentity }
        return try AnonymousIdentities.identity(forDatabase: try home.openStore().publicUUID)
    }

    /// The listener's settings in the terms of the package below.
    ///
    /// - Throws: `invalidParameter` for a certificate authenticator without TLS, `unsupported`
    ///   for an authenticator of an unknown type, `notOpen` for a closed database.
    func serverConfiguration(identity: TLSIdentity?) throws -> ListenerConfiguration {
        let store = try home.openStore()
        var database = ListenerConfiguration.SharedDatabase(store: store, peer: passivePeer)
        database.sparesLoopback = compression == .automatic
        var configuration = ListenerConfiguration(databases: [home.name: database])
        configuration.port = port ?? 0
        configuration.interface = networkInterface
        configuration.credential = identity?.credential
        switch authenticator {
        case nil:
            break
        case let password as ListenerPasswordAuthenticator:
            configuration.authenticator = PasswordListenerAuthenticator { name, secret in
                ServiceCallback.run { password.isAccepted(name, secret) }
            }
        case let certificate as ListenerCertificateAuthenticator:
            guard !disableTLS else { throw ReplicationFailure.certificatesWithoutTLS }
            configuration.clientCertificates = certificate.policy
        case let other?:
            throw ReplicationFailure.unknownAuthenticator("\(type(of: other))")
        }
        return configuration
    }

    private var passivePeer: PeerConfiguration {
        let options = PeerConfiguration.PassiveOptions(
            collections: collections.map(\.path),
            allowsPush: !readOnly
        )
        var peer = PeerConfiguration(role: .passive(options), codec: compression.codec)
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
