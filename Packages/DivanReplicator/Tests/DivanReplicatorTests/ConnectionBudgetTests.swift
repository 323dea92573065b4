import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// All clients of a listener together hold no more than it can bear, and the heaviest one is closed.
@Suite struct ConnectionBudgetTests {
    private func client(_ budget: ConnectionBudget, of party: String, _ site: Site) -> Counterpart {
        Counterpart.client(site) { options in
            options.budget = budget
            options.party = party
        }
    }

    /// Makes a revision wait for a blob that never arrives.
    private func park(_ kilobytes: Int, _ id: String, _ client: inout Counterpart) {
        let blob = #"{"@type":"blob","digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","length":3}"#
        let text = String(repeating: "x", count: kilobytes << 10)
        let properties: BLIPProperties = ["collection": "0", "id": id, "rev": "1-aa"]
        client.ask("rev", properties, #"{"b":\#(blob),"t":"\#(text)"}"#)
    }

    @Test func `the connection that uses the most memory is closed, and a light one continues`()
        throws
    {
        let budget = ConnectionBudget(byteCount: 2 << 20, partyByteCount: 2 << 20)
        let site = try Site()
        var light = client(budget, of: "good", site)
        var first = client(budget, of: "bad", site)
        var second = client(budget, of: "worse", site)
        park(128, "l", &light)
        park(700, "f", &first)
        park(800, "s", &second)
        #expect(budget.heldByteCount > 1_500 << 10)
        #expect(light.closeCode == nil && first.closeCode == nil && second.closeCode == nil)

        // The light one exceeds the limit, but is not the one that is closed.
        park(600, "m", &light)
        #expect(light.closeCode == nil)
        let due = try #require(second.peer.deadline, "it looks by itself, though nothing comes in")
        #expect(due <= .seconds(1))
        second.peer.advance(to: .seconds(1))
        second.exchange()
        #expect(second.closeCode == 4001)
        #expect(second.error?.code == 503)
        #expect(second.error?.message.contains("memory limit is reached") == true)
        second.peer.disconnected(at: .seconds(1))
        #expect(first.closeCode == nil)
        let reply = light.ask("rev", ["collection": "0", "id": "x", "rev": "1-aa"], "{}")
        #expect(reply?.error == nil && reply != nil)
    }

    @Test func `the connections of one party count together`() throws {
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 1 << 20)
        let site = try Site()
        var clients = (0..<4).map { _ in client(budget, of: "many", site) }
        for (index, size) in [200, 240, 280, 600].enumerated() { park(size, "d", &clients[index]) }
        #expect(clients.map(\.closeCode) == [nil, nil, nil, 4001])
    }

    @Test
    func `a party that uses more while another of its connections is closing is closed at once`()
        throws
    {
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 1 << 20)
        let site = try Site()
        var idle = client(budget, of: "many", site)
        park(600, "d", &idle)
        // Each adds something before the idle one, which is the heaviest, has noticed.
        var others = (0..<6).map { _ in client(budget, of: "many", site) }
        for index in others.indices {
            park(500, "n\(index)", &others[index])
            #expect(budget.heldByteCount <= 1_152 << 10)
        }
        #expect(others.map(\.closeCode) == [nil, 4001, 4001, 4001, 4001, 4001])
        #expect(idle.closeCode == nil)
    }

    @Test
    func `a connection closed over its budget frees its memory even if the peer stays connected`()
        throws
    {
        let eased = Mutex(0)
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 20 << 20) {
            eased.withLock { $0 += 1 }
        }
        let site = try Site()
        var client = client(budget, of: "a", site)
        for number in 0..<40 { park(1 << 10, "d\(number)", &client) }
        #expect(client.closeCode == 4001)
        #expect(budget.heldByteCount == 0)
        #expect(eased.withLock { $0 } == 1)
    }

    @Test func `the memory of a connection is free after it ends`() throws {
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 64 << 20)
        let site = try Site()
        do {
            var client = client(budget, of: "a", site)
            park(500, "d", &client)
            #expect(budget.heldByteCount >= 448 << 10)
        }
        #expect(budget.heldByteCount == 0)
    }

    /// Thirty-two mebibytes of short names take more than a hundred in memory, as long as the client stays.
    @Test func `the document IDs of a subscription count while the client is subscribed`() throws {
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 1 << 20)
        let site = try Site()
        var client = client(budget, of: "a", site)
        func wanted(_ count: Int) -> String {
            let names = (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
            return #"{"docIDs":[\#(names)]}"#
        }
        client.ask("subChanges", ["collection": "0", "continuous": "true"], wanted(4_000))
        #expect(client.closeCode == nil)
        #expect(budget.heldByteCount >= 192 << 10)
        client.ask("subChanges", ["collection": "0", "continuous": "true"], wanted(40_000))
        #expect(client.closeCode == 4001)
        #expect(budget.heldByteCount == 0)
    }

    /// A list of short names takes twenty times its size in memory.
    @Test func `the ancestors sent by a client count while its revisions wait to be sent`() throws {
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 64 << 20)
        let site = try Site()
        for number in 0..<200 { try site.save(DocumentID(unchecked: "doc\(number)"), "{}") }
        let limits: (inout ReplicatorLimits) -> Void = {
            $0.unansweredRevisionsCount = 1
            $0.unansweredNearbyCount = 1
        }
        var client = Counterpart.client(site, limits: limits) { options in
            options.budget = budget
            options.party = "a"
        }
        client.ask("subChanges", ["collection": "0"])
        let names = "[" + Array(repeating: #""1-aa""#, count: 100).joined(separator: ",") + "]"
        let all = "[" + Array(repeating: names, count: 200).joined(separator: ",") + "]"
        try client.answer("changes", all)
        #expect(budget.heldByteCount >= 900 << 10)
    }

    @Test func `waiting proposals count with their decoded size`() throws {
        let budget = ConnectionBudget(byteCount: 64 << 20, partyByteCount: 64 << 20)
        let site = try Site()
        let text = String(repeating: "x", count: 900_000)
        for id in ["a", "b"] as [DocumentID] { try site.save(id, #"{"text":"\#(text)"}"#) }
        let limits: (inout ReplicatorLimits) -> Void = { $0.deltaSourceByteCount = 1_000 }
        var client = Counterpart.client(site, limits: limits) { options in
            options.budget = budget
            options.party = "a"
            options.readFilters[.default] = { _ in true }
        }
        // The first lookup is on credit, and the second waits.
        let pair = #"["a","1-aa"],["b","1-aa"]"#
        let list = "[" + Array(repeating: pair, count: 4_000).joined(separator: ",") + "]"
        #expect(client.ask("proposeChanges", ["collection": "0"], list) == nil)
        #expect(budget.heldByteCount >= 1 << 20)
    }

    @Test func `checkpoints count for their owner, and require push or pull access`() throws {
        let site = try Site()
        var options = PeerConfiguration.PassiveOptions(
            collections: [.default],
            allowsPush: false,
            allowsPull: false
        )
        options.checkpointOwner = "user eve"
        var configuration = Conversation.Options().passive
        configuration.role = .passive(options)
        var nobody = Counterpart(configuration, site)
        let collections = #"{"checkpoint_ids":["a"],"collections":["_default"]}"#
        nobody.ask("getCollections", [:], collections)
        let own: BLIPProperties = ["collection": "0", "client": "cp"]
        #expect(nobody.ask("setCheckpoint", own, "{}")?.error?.code == 403)

        options.allowsPull = true
        configuration.role = .passive(options)
        var reader = Counterpart(configuration, site)
        reader.ask("getCollections", [:], collections)
        #expect(reader.ask("setCheckpoint", own, "{}")?.error == nil)
        let large = "{\"a\":\"" + String(repeating: "x", count: 128 << 10) + "\"}"
        #expect(reader.ask("setCheckpoint", own, large)?.error?.code == 413)
    }

    @Test func `a checkpoint with many ranges stays below the size limit of peers`() {
        var checkpoint = Checkpoint()
        for number in 1...50_000 { checkpoint.completed.insert(UInt64(1 << 40 + 3 * number)) }
        let json = checkpoint.json(time: 0)
        #expect(json.count < ReplicatorLimits().checkpointByteCount)
        // What was cut off is compared again; nothing is claimed that was not completed.
        let read = Checkpoint(json: json)
        #expect(read.completed.intersection(checkpoint.completed) == read.completed)
        #expect(read.completed.ranges.count == 2_000)
    }
}
