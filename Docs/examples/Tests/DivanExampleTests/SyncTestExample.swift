import Divan
import Testing

/// An order of the app under test.
private struct Order: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var items: [String]
    var isPaid = false
}

/// Two tills that change the same orders keep the items of both.
private struct KeepAllItems: ConflictResolver {
    func resolve(_ conflict: Conflict) async throws -> Document? {
        guard let local = conflict.local, let remote = conflict.remote else { return nil }
        var (mine, theirs) = (try local.decode(as: Order.self), try remote.decode(as: Order.self))
        mine.items = Set(mine.items + theirs.items).sorted()
        mine.isPaid = mine.isPaid || theirs.isPaid
        // Keeps the properties that this version of the app does not know.
        var merged = remote
        try merged.apply(mine)
        return merged
    }
}

/// How to test the sync of an app: databases in memory, a real connection, and no waiting for time to pass.
@Suite(.timeLimit(.minutes(5))) struct SyncTestExample {
    private let till: Database
    private let office: Database

    init() throws {
        (till, office) = (try .inMemory(name: "till"), try .inMemory(name: "office"))
    }

    private func orders(_ db: Database) throws -> DocumentCollection { try db.collection("orders") }

    @Test func `both sides of a conflict keep their items`() async throws {
        try await orders(till).save(Order(id: "7", items: ["soup"]))
        try await orders(office).save(Order(id: "7", items: ["bread"], isPaid: true))
        try await Sync(till, with: office, resolver: KeepAllItems()).run()
        for db in [till, office] {
            let order = try await orders(db).get("7", as: Order.self)
            #expect(order == Order(id: "7", items: ["bread", "soup"], isPaid: true))
        }
    }

    @Test func `an order reaches the office with the right password`() async throws {
        _ = try orders(office)
        try await orders(till).save(Order(id: "8", items: ["tea"]))
        let listener = try await Listener.start(sharing: office, users: .passwords(["till": "x"]))
        let url = try #require(listener.localURL)
        let trust = Sync.Trust.pinned(try #require(listener.certificate))
        func sync(_ password: String) -> Sync {
            Sync(till, with: url, credentials: .password("till", password), trust: trust)
        }
        await #expect(throws: DivanError.self) { try await sync("y").run() }
        #expect(try await sync("x").run().pushedCount == 1)
        #expect(try await orders(office).get("8", as: Order.self)?.items == ["tea"])
        await listener.stop()
    }
}
