import CouchbaseLiteSwift
import Foundation
import Testing

/// The official declarations of the multipeer replicator.
@Suite struct MultipeerDeclarations {
    private typealias Config = MultipeerReplicatorConfiguration
    private typealias CollectionConfig = MultipeerCollectionConfiguration

    @Test func `the configurations have their official members`() {
        let _:
            (String, TLSIdentity, MultipeerAuthenticator, [CollectionConfig])
                -> Config = Config.init(peerGroupID:identity:authenticator:collections:)
        let _: KeyPath<Config, String> = \.peerGroupID
        let _: KeyPath<Config, TLSIdentity> = \.identity
        let _: KeyPath<Config, MultipeerAuthenticator> = \.authenticator
        let _: KeyPath<Config, [CollectionConfig]> = \.collections
        let _: WritableKeyPath<Config, Set<MultipeerTransport>> = \.transports
        let _: (Collection) -> CollectionConfig = CollectionConfig.init(collection:)
        let _: KeyPath<CollectionConfig, Collection> = \.collection
        let _: WritableKeyPath<CollectionConfig, [String]?> = \.documentIDs
        let _: WritableKeyPath<CollectionConfig, MultipeerReplicationFilter?> = \.pushFilter
        let _: WritableKeyPath<CollectionConfig, MultipeerReplicationFilter?> = \.pullFilter
        let _: WritableKeyPath<CollectionConfig, MultipeerConflictResolver?> = \.conflictResolver
        let roots = MultipeerCertificateAuthenticator(rootCerts: [])
        let closure = MultipeerCertificateAuthenticator { (_: PeerID, _: [SecCertificate]) in true }
        let all: [MultipeerAuthenticator] = [roots, closure]
        #expect(all.count == 2)
        #expect(Set<MultipeerTransport>([.wifi, .bluetooth]).count == 2)
    }

    @Test func `the replicator and its events have their official members`() {
        let _: (Config) throws -> MultipeerReplicator = MultipeerReplicator.init(config:)
        let _: KeyPath<MultipeerReplicator, Config> = \.config
        let _: KeyPath<MultipeerReplicator, PeerID> = \.peerID
        let _: KeyPath<MultipeerReplicator, [PeerID]> = \.neighborPeers
        let _: (MultipeerReplicator) -> (PeerID) -> PeerInfo? = MultipeerReplicator.peerInfo(for:)
        let _: (MultipeerReplicator) -> (MultipeerTransport) -> MultipeerReplicatorStatus? =
            MultipeerReplicator.status(for:)
        let _: (MultipeerReplicator) -> () -> Void = MultipeerReplicator.start
        let _: (MultipeerReplicator) -> () -> Void = MultipeerReplicator.stop
        let _: KeyPath<PeerID, Data> = \.bytes
        let _: KeyPath<MultipeerReplicatorStatus, Bool> = \.active
        let _: KeyPath<MultipeerReplicatorStatus, Error?> = \.error
        let _: KeyPath<MultipeerReplicatorStatus, MultipeerTransport?> = \.transport
        let _: KeyPath<PeerDiscoveryStatus, PeerID> = \.peerID
        let _: KeyPath<PeerDiscoveryStatus, Bool> = \.online
        let _: KeyPath<PeerReplicatorStatus, Bool> = \.outgoing
        let _: KeyPath<PeerReplicatorStatus, Replicator.Status> = \.status
        let _: KeyPath<PeerDocumentReplication, Bool> = \.isPush
        let _: KeyPath<PeerDocumentReplication, [ReplicatedDocument]> = \.documents
        let _: KeyPath<PeerInfo, SecCertificate?> = \.certificate
        let _: KeyPath<PeerInfo, Bool> = \.online
        let _: KeyPath<PeerInfo, Replicator.Status> = \.replicatorStatus
        let _: KeyPath<PeerInfo, [PeerID]> = \.neighborPeers
    }
}
