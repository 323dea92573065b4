import CouchbaseLiteSwift
import Foundation
import Testing

/// The class of the guide to hubs does what it says.
@Suite struct HubTests {
    private func collection(_ name: String) throws -> Collection {
        try Database.inMemory(name: "shop").createCollection(name: name)
    }

    private func listening(to collection: Collection) -> URLEndpointListenerConfiguration {
        var config = URLEndpointListenerConfiguration(collections: [collection])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        return config
    }

    private func sync(_ collection: Collection, with target: any Endpoint) async throws {
        let collections = [CollectionConfiguration(collection: collection)]
        let config = ReplicatorConfiguration(collections: collections, target: target)
        try await Replicator(config: config).run()
    }

    @Test func `a hub passes changes between a device and the office`() async throws {
        let (office, middle) = (try collection("orders"), try collection("orders"))
        let device = try collection("orders")
        let top = URLEndpointListener(config: listening(to: office))
        try top.start()
        defer { top.stop() }
        let hub = Hub(
            listenerConfiguration: listening(to: middle),
            office: URLEndpoint(url: try #require(top.urls?.first))
        )
        let url = try #require(try hub.open().first)
        let (up, down) = (office.changes(), middle.changes())

        try device.save(document: MutableDocument(id: "table-4"))
        try await sync(device, with: URLEndpoint(url: url))
        for await change in up where change.documentIDs.contains("table-4") { break }

        try office.save(document: MutableDocument(id: "closing-time"))
        for await change in down where change.documentIDs.contains("closing-time") { break }
        try await sync(device, with: URLEndpoint(url: url))
        #expect(try device.documentIDs() == ["closing-time", "table-4"])
        hub.close()
    }
}
