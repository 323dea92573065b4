import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

func offer(_ dishes: Collection) throws -> [String] {
    try dishes.documentIDs().filter { id in
        try dishes.document(id: id)?.boolean(forKey: "isSoldOut") == false
    }
}

@Suite struct MenuTests {
    @Test func `a dish that is sold out is not offered`() throws {
        let dishes = try Database.inMemory().createCollection(name: "dishes")
        for (id, isSoldOut) in [("soup", false), ("stew", true)] {
            let dish = MutableDocument(id: id).setBoolean(isSoldOut, forKey: "isSoldOut")
            try dishes.save(document: dish)
        }
        #expect(try offer(dishes) == ["soup"])
    }
}

func sync(_ collection: Collection, with target: any Endpoint) async throws {
    var config = ReplicatorConfiguration(
        collections: [CollectionConfiguration(collection: collection)],
        target: target
    )
    config.maxAttempts = 1  // a test does not retry
    try await Replicator(config: config).run()
}

@Suite struct OrderTests {
    private let waiter: Collection
    private let kitchen: Collection

    init() throws {
        waiter = try Database.inMemory(name: "waiter").createCollection(name: "orders")
        kitchen = try Database.inMemory(name: "kitchen").createCollection(name: "orders")
    }

    @Test func `an order syncs to the kitchen`() async throws {
        try waiter.save(document: MutableDocument(id: "table-4", data: ["dish": "soup"]))
        try await sync(waiter, with: DatabaseEndpoint(database: kitchen.database))
        #expect(try kitchen.document(id: "table-4")?.string(forKey: "dish") == "soup")
    }

    @Test func `an order syncs to the kitchen over the network`() async throws {
        var config = URLEndpointListenerConfiguration(collections: [kitchen])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        let listener = URLEndpointListener(config: config)
        try listener.start()  // any free port
        defer { listener.stop() }
        try waiter.save(document: MutableDocument(id: "table-4"))
        let url = try #require(listener.urls?.first)
        try await sync(waiter, with: URLEndpoint(url: url))
        #expect(kitchen.count == 1)
    }

    @Test func `a later order arrives by continuous sync`() async throws {
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: waiter)],
            target: DatabaseEndpoint(database: kitchen.database)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        let (states, arrivals) = (replicator.statusStream, kitchen.changes())
        replicator.start()
        for await status in states where status.activity == .idle { break }
        try waiter.save(document: MutableDocument(id: "table-5"))
        for await change in arrivals where change.documentIDs == ["table-5"] { break }
        try waiter.database.close()  // stops the replicator and waits for it
    }

    @Test func `a server under maintenance is reported with its error code`() async throws {
        let server = try HandshakeServer(answers: [
            HandshakeServer.answer("503 Service Unavailable")
        ])
        let address = "ws://127.0.0.1:\(server.port)/orders"
        let error = await #expect(throws: NSError.self) {
            try await sync(waiter, with: try URLEndpoint(validating: address))
        }
        #expect(error?.code == CBLError.httpServiceUnavailable)
    }

    @Test func `the conflict resolver meets the contract`() {
        #expect(ConflictResolver.violations(of: TagsOfBoth(), in: kitchen) == [])
    }

    @Test(arguments: 1...10)
    func `both databases are equal after any edits and a sync`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<40 {
            let orders = Bool.random(using: &random) ? waiter : kitchen
            let order = MutableDocument(id: "table-\(Int.random(in: 1...5, using: &random))")
            order.setInt(Int.random(in: 1...8, using: &random), forKey: "guests")
            try orders.save(document: order)
        }
        try await sync(waiter, with: DatabaseEndpoint(database: kitchen.database))
        for id in try waiter.documentIDs() {
            let (mine, theirs) = (try waiter.document(id: id), try kitchen.document(id: id))
            #expect(mine?.toJSON() == theirs?.toJSON(), "seed \(seed), \(id)")
        }
    }
}
