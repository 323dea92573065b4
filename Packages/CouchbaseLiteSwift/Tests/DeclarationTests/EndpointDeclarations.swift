import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §6 to §8.
@Suite struct EndpointDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `endpoints are structs with one property`() throws {
        let _: (URL) -> URLEndpoint = URLEndpoint.init(url:)
        let _: (Database) -> DatabaseEndpoint = DatabaseEndpoint.init(database:)
        let _: KeyPath<URLEndpoint, URL> = \.url
        let _: KeyPath<DatabaseEndpoint, Database> = \.database
        let url = try #require(URL(string: "wss://10.1.1.12:8092/actDb"))
        let database = try place.open()
        let endpoints: [Endpoint] = [URLEndpoint(url: url), DatabaseEndpoint(database: database)]
        #expect((endpoints[0] as? URLEndpoint)?.url == url)
        #expect((endpoints[1] as? DatabaseEndpoint)?.database === database)
    }

    @Test func `authenticators keep their arguments`() throws {
        let _: (String, String) -> BasicAuthenticator = BasicAuthenticator.init(username:password:)
        let _: (String) -> SessionAuthenticator = SessionAuthenticator.init(sessionID:)
        let _: (String, String?) -> SessionAuthenticator =
            SessionAuthenticator.init(sessionID:cookieName:)
        let _: (TLSIdentity) -> ClientCertificateAuthenticator =
            ClientCertificateAuthenticator.init(identity:)
        let _: KeyPath<ClientCertificateAuthenticator, TLSIdentity> = \.identity
        let authenticators: [Authenticator] = [
            BasicAuthenticator(username: "u", password: "p"), SessionAuthenticator(sessionID: "s"),
            SessionAuthenticator(sessionID: "s", cookieName: nil),
            SessionAuthenticator(sessionID: "s", cookieName: "mine"),
        ]
        let basic = try #require(authenticators[0] as? BasicAuthenticator)
        #expect(basic.username == "u" && basic.password == "p")
        let names = authenticators.compactMap { ($0 as? SessionAuthenticator)?.cookieName }
        #expect(names == ["SyncGatewaySession", "SyncGatewaySession", "mine"])
        #expect((authenticators[1] as? SessionAuthenticator)?.sessionID == "s")
    }

    @Test func `replicator types, flags and filters have their official form`() {
        let types: [ReplicatorType] = [.pushAndPull, .push, .pull]
        #expect(types.map { $0.rawValue as UInt8 } == [0, 1, 2])
        #expect(DocumentFlags.deleted.rawValue == 1)
        #expect(DocumentFlags.accessRemoved.rawValue == 2)
        let both: DocumentFlags = [.deleted, .accessRemoved]
        #expect(both.contains(.deleted) && DocumentFlags(rawValue: 3) == both)
        let filter: ReplicationFilter = { (document, flags) in
            document.contains(key: "k") && !flags.contains(.deleted)
        }
        let plain: (Document, DocumentFlags) -> Bool = filter
        #expect(plain(MutableDocument(data: ["k": 1]), []))
        #expect(!filter(MutableDocument(data: ["k": 1]), .deleted))
    }

    @Test func `CollectionConfiguration is a struct with its official members`() throws {
        let _: (Collection) -> CollectionConfiguration = CollectionConfiguration.init(collection:)
        let _: KeyPath<CollectionConfiguration, Collection?> = \.collection
        let _: WritableKeyPath<CollectionConfiguration, ConflictResolverProtocol?> =
            \.conflictResolver
        let _: WritableKeyPath<CollectionConfiguration, ReplicationFilter?> = \.pushFilter
        let _: WritableKeyPath<CollectionConfiguration, ReplicationFilter?> = \.pullFilter
        let _: WritableKeyPath<CollectionConfiguration, [String]?> = \.channels
        let _: WritableKeyPath<CollectionConfiguration, [String]?> = \.documentIDs
        let _: ([Collection]) -> [CollectionConfiguration] =
            CollectionConfiguration.fromCollections(_:)
        let collection = try place.open().defaultCollection()
        var config = CollectionConfiguration(collection: collection)
        #expect(config.collection == collection)
        #expect(config.conflictResolver == nil && config.channels == nil)
        #expect(config.pushFilter == nil && config.pullFilter == nil && config.documentIDs == nil)
        let before = config
        config.channels = ["news"]
        #expect(before.channels == nil)
        #expect(CollectionConfiguration.fromCollections([collection])[0].collection == collection)
        let older: Older = CollectionConfigurationCode()
        try older.run()
    }
}

private struct CollectionConfigurationCode: Older {
    @available(*, deprecated)
    func run() {
        let config = CollectionConfiguration()
        #expect(config.collection == nil && config.documentIDs == nil)
    }
}
