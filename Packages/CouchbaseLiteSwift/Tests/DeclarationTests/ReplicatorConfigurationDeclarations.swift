import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §9.
@Suite struct ReplicatorConfigurationDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private func target() throws -> URLEndpoint {
        URLEndpoint(url: try #require(URL(string: "ws://localhost:4984/db")))
    }

    @Test func `the current initializers have their official form`() throws {
        let _: ([CollectionConfiguration], Endpoint) -> ReplicatorConfiguration =
            ReplicatorConfiguration.init(collections:target:)
        let _: (ReplicatorConfiguration) -> ReplicatorConfiguration =
            ReplicatorConfiguration.init(config:)
        let collection = try place.open().defaultCollection()
        let config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([collection]),
            target: try target()
        )
        let collections: [Collection] = config.collections
        let configs: [CollectionConfiguration] = config.collectionConfigs
        let found: CollectionConfiguration? = config.collectionConfig(collection)
        #expect(collections == [collection] && configs.count == 1)
        #expect(found?.collection == collection)
        #expect((config.target as? URLEndpoint)?.url.absoluteString == "ws://localhost:4984/db")
    }

    @Test func `code written for release 4 compiles`() throws {
        let collection = try place.open().defaultCollection()
        var settings = CollectionConfiguration(collection: collection)
        settings.channels = ["c"]
        let config = ReplicatorConfiguration(collections: [settings], target: try target())
        let configs: [CollectionConfiguration] = config.collections
        let owner: Collection = configs[0].collection
        #expect(owner == collection && config.collections[0].collection.name == owner.name)
        #expect(config.collections.first { $0.channels == ["c"] }?.collection === collection)
        #expect(config.collections.map { $0.collection.fullName } == [owner.fullName])
        // Both types fit here, so release 3's is chosen.
        for owner in config.collections { #expect(owner.name == collection.name) }
        let owners = config.collections
        #expect(owners == [collection])
    }

    @Test func `every property has its official type and default`() throws {
        let _: WritableKeyPath<ReplicatorConfiguration, ReplicatorType> = \.replicatorType
        let _: WritableKeyPath<ReplicatorConfiguration, Bool> = \.continuous
        let _: WritableKeyPath<ReplicatorConfiguration, Authenticator?> = \.authenticator
        let _: WritableKeyPath<ReplicatorConfiguration, Bool> =
            \.acceptOnlySelfSignedServerCertificate
        let _: WritableKeyPath<ReplicatorConfiguration, SecCertificate?> =
            \.pinnedServerCertificate
        let _: WritableKeyPath<ReplicatorConfiguration, [String: String]?> = \.headers
        let _: WritableKeyPath<ReplicatorConfiguration, String?> = \.networkInterface
        let _: WritableKeyPath<ReplicatorConfiguration, Bool> = \.acceptParentDomainCookie
        let _: WritableKeyPath<ReplicatorConfiguration, Bool> = \.allowReplicatingInBackground
        let _: WritableKeyPath<ReplicatorConfiguration, TimeInterval> = \.heartbeat
        let _: WritableKeyPath<ReplicatorConfiguration, UInt> = \.maxAttempts
        let _: WritableKeyPath<ReplicatorConfiguration, TimeInterval> = \.maxAttemptWaitTime
        let _: WritableKeyPath<ReplicatorConfiguration, Bool> = \.enableAutoPurge
        let collection = try place.open().defaultCollection()
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: collection)],
            target: try target()
        )
        typealias Config = ReplicatorConfiguration
        #expect(config.replicatorType == .pushAndPull && Config.defaultType == .pushAndPull)
        #expect(!config.continuous && !Config.defaultContinuous)
        #expect(config.authenticator == nil && config.pinnedServerCertificate == nil)
        #expect(config.headers == nil && config.networkInterface == nil)
        #expect(!config.acceptOnlySelfSignedServerCertificate)
        #expect(!Config.defaultSelfSignedCertificateOnly)
        #expect(!config.acceptParentDomainCookie && !Config.defaultAcceptParentCookies)
        #expect(!config.allowReplicatingInBackground)
        #expect(!Config.defaultAllowReplicatingInBackground)
        #expect(config.heartbeat == 300 && Config.defaultHeartbeat == 300)
        #expect(config.maxAttempts == 10 && Config.defaultMaxAttemptsSingleShot == 10)
        #expect(Config.defaultMaxAttemptsContinuous == .max)
        #expect(config.maxAttemptWaitTime == 300 && Config.defaultMaxAttemptsWaitTime == 300)
        #expect(Config.defaultMaxAttemptWaitTime == 300)
        #expect(config.enableAutoPurge && Config.defaultEnableAutoPurge)
        config.continuous = true
        #expect(config.maxAttempts == .max)
        config.maxAttempts = 5
        config.continuous = false
        #expect(config.maxAttempts == 5)
    }

    @Test func `ReplicatorConfiguration is a value type`() throws {
        let collection = try place.open().defaultCollection()
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: collection)],
            target: try target()
        )
        let copy = ReplicatorConfiguration(config: config)
        let replicator = Replicator(config: config)
        config.continuous = true
        config.headers = ["a": "b"]
        #expect(!copy.continuous && copy.headers == nil)
        #expect(!replicator.config.continuous && replicator.config.headers == nil)
    }

    @Test func `the deprecated initializers and members compile`() throws {
        let older: Older = ReplicatorConfigurationCode(place: place)
        try older.run()
    }
}

private struct ReplicatorConfigurationCode: Older {
    let place: Place

    private final class Remote: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? { conflict.remoteDocument }
    }

    @available(*, deprecated)
    func run() throws {
        let _: (Database, Endpoint) -> ReplicatorConfiguration =
            ReplicatorConfiguration.init(database:target:)
        let _: (Endpoint) -> ReplicatorConfiguration = ReplicatorConfiguration.init(target:)
        let _: WritableKeyPath<ReplicatorConfiguration, [String]?> = \.channels
        let _: WritableKeyPath<ReplicatorConfiguration, [String]?> = \.documentIDs
        let _: WritableKeyPath<ReplicatorConfiguration, ReplicationFilter?> = \.pushFilter
        let _: WritableKeyPath<ReplicatorConfiguration, ReplicationFilter?> = \.pullFilter
        let _: WritableKeyPath<ReplicatorConfiguration, ConflictResolverProtocol?> =
            \.conflictResolver
        let _: KeyPath<ReplicatorConfiguration, Database> = \.database
        let database = try place.open()
        let target = DatabaseEndpoint(database: database)
        let collection = try database.defaultCollection()
        let second = try database.createCollection(name: "second")

        var config = ReplicatorConfiguration(target: target)
        #expect(config.collections.isEmpty)
        config.addCollection(collection)
        var settings = CollectionConfiguration()
        settings.documentIDs = ["a"]
        let returned: ReplicatorConfiguration = config.addCollection(second, config: settings)
        #expect(returned.collections.count == 2)
        #expect(config.collectionConfig(second)?.documentIDs == ["a"])
        config.removeCollection(second)
        #expect(config.collectionConfig(second) == nil)
        config.addCollections([collection, second])
        config.addCollections([second], config: settings)
        #expect(config.collections == [collection, second])

        var old = ReplicatorConfiguration(database: database, target: target)
        #expect(old.database === database && old.collections == [collection])
        old.channels = ["c"]
        old.documentIDs = ["d"]
        old.pushFilter = { _, _ in true }
        old.pullFilter = { _, _ in false }
        old.conflictResolver = Remote()
        let forwarded = old.collectionConfig(collection)
        #expect(forwarded?.channels == ["c"] && forwarded?.documentIDs == ["d"])
        #expect(forwarded?.pushFilter != nil && forwarded?.pullFilter != nil)
        #expect(forwarded?.conflictResolver is Remote && old.conflictResolver is Remote)
    }
}
