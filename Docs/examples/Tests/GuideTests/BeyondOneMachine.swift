import CouchbaseLiteSwift
import Foundation

final class Hub: Sendable {
    private let listener: URLEndpointListener
    private let upward: Replicator

    /// Devices connect to the listener `listenerConfiguration`; `office` is the next hub, or Sync Gateway.
    init(
        listenerConfiguration: URLEndpointListenerConfiguration,
        office: any Endpoint,
        login: (any Authenticator)? = nil
    ) {
        listener = URLEndpointListener(config: listenerConfiguration)
        var config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections(listenerConfiguration.collections),
            target: office
        )
        config.continuous = true
        config.authenticator = login
        upward = Replicator(config: config)
    }

    /// Accepts devices, and returns the URLs.
    func open() throws -> [URL] {
        try listener.start()
        upward.start()
        return listener.urls ?? []
    }

    /// Stops, and asks devices to reconnect later.
    func close() {
        listener.stopForRestart()
        upward.stop()
    }
}
