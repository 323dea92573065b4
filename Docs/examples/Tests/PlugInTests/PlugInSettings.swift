import CouchbaseLiteSwift
import DivanTLS
import Foundation
import PlugIns

// The code of Docs/guides/plug-ins.md; PlugInSettingTests runs it.

func openRoutes(in directory: String) throws -> Collection {
    var config = DatabaseConfiguration()
    config.directory = directory
    config.bodyCodecs = [BodyCodec(number: 128, codec: PhraseCodec())]
    config.revisionCodecs = [RevisionCodec(number: 32, codec: RunLengthCodec())]
    config.revisionCompression = .codec(RunLengthCodec())
    let routes = try Database(name: "fleet", config: config).createCollection(name: "routes")
    try routes.setBodyCompression(.codec(PhraseCodec()))
    return routes
}

func share(
    _ routes: Collection,
    keepingIdentityIn vault: any TLSIdentityStore
) throws -> URLEndpointListener {
    var config = URLEndpointListenerConfiguration(collections: [routes])
    config.identities = CachedIdentityStore(vault)
    config.authenticator = .custom(ListedUsersAuthenticator([("ada", "secret")]))
    let listener = URLEndpointListener(config: config)
    try listener.start()
    return listener
}

func settings(_ routes: Collection, _ url: URL, token: String) -> ReplicatorConfiguration {
    var collection = CollectionConfiguration(collection: routes)
    collection.conflictResolver = .custom(PriorityResolver())
    var config = ReplicatorConfiguration(collections: [collection], target: URLEndpoint(url: url))
    config.authenticator = BearerAuthenticator(token: token).map { .custom($0) }
    return config
}

func keepLogInMemory() -> RingSink {
    let sink = RingSink()
    LogSinks.custom = CustomLogSink(sink)
    return sink
}
