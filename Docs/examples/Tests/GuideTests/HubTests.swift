import Divan
import Foundation
import Testing

/// The class of the guide to hubs does what it says.
@Suite struct HubTests {
    private func collection() throws -> DocumentCollection {
        try Database.inMemory(name: "shop").collection("orders")
    }

    @Test func `a hub passes changes between a device and the office`() async throws {
        let (office, middle, device) = (try collection(), try collection(), try collection())
        let top = try await Listener.start(sharing: office.database, options: .local)
        let hub = try await Hub(
            sharing: middle.database,
            users: .anyone,
            office: .url(try #require(top.localURL)),
            options: .local
        )
        let sync = Sync(device.database, with: try #require(hub.urls.first))
        var up = office.changes.makeAsyncIterator()
        var down = middle.changes.makeAsyncIterator()

        try await device.save(Document(id: "table-4"))
        try await sync.run()
        while let change = await up.next(), !change.ids.contains("table-4") {}

        try await office.save(Document(id: "closing-time"))
        while let change = await down.next(), !change.ids.contains("closing-time") {}
        try await sync.run()
        #expect(try await device.ids() == ["closing-time", "table-4"])
        await hub.close()
        await top.stop()
    }
}
