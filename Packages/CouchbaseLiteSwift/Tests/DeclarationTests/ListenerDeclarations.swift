import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §12.
@Suite struct ListenerDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private typealias Config = URLEndpointListenerConfiguration

    @Test func `URLEndpointListenerConfiguration is a struct with its official members`() throws {
        let _: ([Collection]) -> Config = Config.init(collections:)
        let _: (Config) -> Config = Config.init(config:)
        let _: KeyPath<Config, [Collection]> = \.collections
        let _: WritableKeyPath<Config, UInt16?> = \.port
        let _: WritableKeyPath<Config, String?> = \.networkInterface
        let _: WritableKeyPath<Config, Bool> = \.disableTLS
        let _: WritableKeyPath<Config, TLSIdentity?> = \.tlsIdentity
        let _: WritableKeyPath<Config, ListenerAuthenticator?> = \.authenticator
        let _: WritableKeyPath<Config, Bool> = \.enableDeltaSync
        let _: WritableKeyPath<Config, Bool> = \.readOnly
        let collection = try place.open().defaultCollection()
        var config = Config(collections: [collection])
        #expect(config.port == 0 && Config.defaultPort == 0)
        #expect(!config.disableTLS && !Config.defaultDisableTls)
        #expect(!config.readOnly && !Config.defaultReadOnly)
        #expect(!config.enableDeltaSync && !Config.defaultEnableDeltaSync)
        #expect(config.networkInterface == nil && config.tlsIdentity == nil)
        #expect(config.authenticator == nil && config.collections == [collection])
        config.port = nil
        let copy = Config(config: config)
        config.port = 4
        #expect(copy.port == nil)
        let older: Older = ListenerConfigurationCode(place: place)
        try older.run()
    }

    @Test func `URLEndpointListener has its official members`() throws {
        let _: (Config) -> URLEndpointListener = URLEndpointListener.init(config:)
        let _: KeyPath<URLEndpointListener, Config> = \.config
        let _: KeyPath<URLEndpointListener, UInt16?> = \.port
        let _: KeyPath<URLEndpointListener, [URL]?> = \.urls
        let _: KeyPath<URLEndpointListener, TLSIdentity?> = \.tlsIdentity
        let _: KeyPath<URLEndpointListener, URLEndpointListener.ConnectionStatus> = \.status
        let _: KeyPath<URLEndpointListener.ConnectionStatus, UInt64> = \.connectionCount
        let _: KeyPath<URLEndpointListener.ConnectionStatus, UInt64> = \.activeConnectionCount
        let _: (URLEndpointListener) -> () throws -> Void = URLEndpointListener.start
        let _: (URLEndpointListener) -> () -> Void = URLEndpointListener.stop
        var config = Config(collections: [try place.open().defaultCollection()])
        config.disableTLS = true
        config.networkInterface = "127.0.0.1"
        let listener = URLEndpointListener(config: config)
        #expect(listener.port == nil && listener.urls == nil && listener.tlsIdentity == nil)
        #expect(listener.status.connectionCount == 0)
        #expect(listener.status.activeConnectionCount == 0)
        try listener.start()
        let port = try #require(listener.port)
        #expect(port > 0 && listener.tlsIdentity == nil)
        #expect(listener.urls?.map(\.absoluteString) == ["ws://127.0.0.1:\(port)/travel"])
        config.port = port
        let second = URLEndpointListener(config: config)
        #expect(code { try second.start() } == -Int(EADDRINUSE))
        listener.stop()
        listener.stop()
        #expect(listener.port == nil && listener.urls == nil)
    }

    @Test func `listener authenticators accept plain closures`() {
        let _: (@escaping @Sendable (String, String) -> Bool) -> ListenerPasswordAuthenticator =
            ListenerPasswordAuthenticator.init(authenticator:)
        let _:
            (@escaping @Sendable ([SecCertificate]) -> Bool) -> ListenerCertificateAuthenticator =
                ListenerCertificateAuthenticator.init(authenticator:)
        let _: ([SecCertificate]) -> ListenerCertificateAuthenticator =
            ListenerCertificateAuthenticator.init(rootCerts:)
        let authenticators: [ListenerAuthenticator] = [
            ListenerPasswordAuthenticator { username, password in username == password },
            ListenerCertificateAuthenticator { certs in certs.isEmpty },
            ListenerCertificateAuthenticator(rootCerts: []),
        ]
        #expect(authenticators.count == 3)
    }
}

private struct ListenerConfigurationCode: Older {
    let place: Place

    @available(*, deprecated)
    func run() throws {
        let _: (Database) -> URLEndpointListenerConfiguration =
            URLEndpointListenerConfiguration.init(database:)
        let _: KeyPath<URLEndpointListenerConfiguration, Database> = \.database
        let database = try place.open()
        let config = URLEndpointListenerConfiguration(database: database)
        #expect(config.database === database)
        #expect(config.collections == [try database.defaultCollection()])
    }
}
