import Divan
import Foundation

final class Hub: Sendable {
    private let listener: URLEndpointListener
    private let upward: Replicator

    /// Devices come in through `door`; `office` is the next hub, or Sync Gateway.
    init(
        door: URLEndpointListenerConfiguration,
        office: any Endpoint,
        login: (any Authenticator)? = nil
    ) {
        listener = URLEndpointListener(config: door)
        var config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections(door.collections),
            target: office
        )
        config.continuous = true
        config.authenticator = login
        upward = Replicator(config: config)
    }

    /// Lets devices in, and returns where.
    func open() throws -> [URL] {
        try listener.start()
        upward.start()
        return listener.urls ?? []
    }

    /// Sends devices elsewhere, and ends.
    func close() {
        listener.stopForRestart()
        upward.stop()
    }
}
