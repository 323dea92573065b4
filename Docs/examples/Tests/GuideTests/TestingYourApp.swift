import Divan
import DivanTestKit
import Foundation
import Testing

struct Offer: Codable, Identifiable, Sendable {
    var id: String
    var isSoldOut = false
}

func offers(of dishes: DocumentCollection) throws -> [Offer] {
    try dishes.documents(where: #Predicate { !$0.isSoldOut }).all()
}

@Suite struct MenuTests {
    @Test func `a dish that is sold out is not offered`() throws {
        let dishes = try Database.inMemory().collection("dishes")
        try dishes.save(Offer(id: "soup"))
        try dishes.save(Offer(id: "stew", isSoldOut: true))
        #expect(try offers(of: dishes).map(\.id) == ["soup"])
    }
}

@Suite struct OrderTests {
    private let waiter: DocumentCollection
    private let kitchen: DocumentCollection
    private let sync: Sync

    init() throws {
        waiter = try Database.inMemory(name: "waiter").collection("orders")
        kitchen = try Database.inMemory(name: "kitchen").collection("orders")
        sync = Sync(waiter.database, with: kitchen.database)
    }

    @Test func `an order syncs to the kitchen`() async throws {
        try await waiter.save(Document(id: "table-4", ["dish": "soup"]))
        try await sync.run()
        #expect(try await kitchen.get("table-4")?.dish == "soup")
    }

    @Test func `an order syncs to the kitchen over the network`() async throws {
        var options = Listener.Options()
        options.networkInterface = "127.0.0.1"
        options.usesTLS = false
        let listener = try await Listener.start(sharing: kitchen.database, options: options)
        try await waiter.save(Document(id: "table-4"))
        try await Sync(waiter.database, with: try #require(listener.localURL)).run()
        #expect(try await kitchen.count() == 1)
        await listener.stop()
    }

    @Test func `a later order arrives by continuous sync`() async throws {
        var arrivals = kitchen.changes.makeAsyncIterator()
        for await status in sync.start() where status.isIdle { break }
        try await waiter.save(Document(id: "table-5"))
        #expect(await arrivals.next()?.ids == ["table-5"])
        await sync.stop()
    }

    @Test func `a server under maintenance is reported`() async throws {
        let server = try HandshakeServer(answers: [
            HandshakeServer.answer("503 Service Unavailable")
        ])
        var options = Sync.Options()
        options.maxAttempts = 1  // a test does not retry
        let url = Sync.Target.url("ws://127.0.0.1:\(server.port)/orders")
        let error = await #expect(throws: DivanError.self) {
            try await Sync(waiter.database, with: url, options: options).run()
        }
        #expect(error?.code == .unreachable)
    }

    @Test(arguments: 1...10)
    func `both databases are equal after any edits and a sync`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<40 {
            let orders = Bool.random(using: &random) ? waiter : kitchen
            var order = Document(id: "table-\(Int.random(in: 1...5, using: &random))")
            order.guests = Int.random(in: 1...8, using: &random)
            try await orders.save(order)
        }
        try await sync.run()
        for id in try await waiter.ids() {
            let (mine, theirs) = (try await waiter.get(id), try await kitchen.get(id))
            #expect(mine?.json == theirs?.json, "seed \(seed), \(id)")
        }
    }
}
