import CouchbaseLiteSwift
import Dispatch
import Foundation
import Synchronization
import Testing

/// Events, pending documents and filters: `behaviour.md` §8, rule by rule.
@Suite(.timeLimit(.minutes(5))) struct ReplicatedDocumentRuleTests {
    /// Runs a replicator and returns its document events as `push|pull id flags code`.
    private func events(_ configuration: ReplicatorConfiguration) async -> [String] {
        let replicator = Replicator(config: configuration)
        let documents = replicator.documentReplicationStream
        replicator.start()
        var events: [String] = []
        for await event in documents {
            for document in event.documents {
                let code = (document.error as NSError?)?.code ?? 0
                let direction = event.isPush ? "push" : "pull"
                events.append("\(direction) \(document.id) \(document.flags.rawValue) \(code)")
            }
        }
        return events.sorted()
    }

    // MARK: Events

    @Test func `events come in batches, separately for push and pull`() async throws {
        let peers = try Peers()
        for number in 0..<200 {
            try peers.here.defaultCollection().put("h\(number)", number)
            try peers.there.defaultCollection().put("t\(number)", number)
        }
        let replicator = Replicator(config: try peers.configuration())
        let events = replicator.documentReplicationStream
        replicator.start()
        var (count, batches) = (0, 0)
        for await event in events {
            batches += 1
            count += event.documents.count
            #expect(Set(event.documents.map { $0.id.first }).count == 1)
        }
        #expect(count == 400)
        #expect(batches < 400)
    }

    @Test func `a tombstone has the deleted flag`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("a", 1)
        try await Replicator(config: peers.configuration()).run()
        try here.delete(document: #require(try here.document(id: "a")))
        #expect(await events(try peers.configuration()) == ["push a 1 0"])
    }

    @Test func `a conflicted document is reported once, after resolution, without an error`()
        async throws
    {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        try peers.there.defaultCollection().put("a", 2)
        let events = await events(try peers.configuration())
        #expect(events.filter { $0.hasPrefix("pull") } == ["pull a 0 0"])
        #expect(!events.contains { $0.hasSuffix("\(CBLError.httpConflict)") })
    }

    @Test func `a push rejected with 409 is not reported if the replicator also pulls`()
        async throws
    {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("a", 1)
        try await Replicator(config: peers.configuration()).run()
        for value in 2...3 { try here.put("a", value) }
        try there.put("a", 20)
        let events = await events(try peers.configuration())
        #expect(!events.contains { $0.hasSuffix("\(CBLError.httpConflict)") })
        #expect(try there.value("a") == 3)
    }

    @Test func `a read-only listener's refusal is 10403 and stops the replicator`() async throws {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.readOnly = true
        }
        defer { listener.stop() }
        try peers.here.defaultCollection().put("a", 1)
        let replicator = Replicator(config: try peers.configuration(target: listener.endpoint()))
        #expect(await replicator.finalCode() == CBLError.httpForbidden)
    }

    // MARK: Pending

    @Test func `pending documents can be read before start and after stop, and are a snapshot`()
        async throws
    {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("a", 1)
        let replicator = Replicator(config: try peers.configuration(.push))
        let before = try replicator.pendingDocumentIds(collection: here)
        try await replicator.run()
        #expect(before == ["a"])
        #expect(try replicator.pendingDocumentIds(collection: here) == [])
        try here.put("a", 2)
        #expect(try replicator.pendingDocumentIds(collection: here) == ["a"])
        #expect(try replicator.isDocumentPending("a", collection: here))
        #expect(try !replicator.isDocumentPending("nobody", collection: here))
    }

    @Test func `the list of pending documents distinguishes Unicode spellings`()
        async throws
    {
        let spellings = ["A\u{30A}", "\u{C5}", "\u{212B}"]
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        for id in spellings { try here.put(id, 1) }
        let replicator = Replicator(config: try peers.configuration(.push))
        let pending = try replicator.pendingDocuments(collection: here)
        #expect(pending.map { Array($0.utf8) } == spellings.map { Array($0.utf8) })
        #expect(try replicator.pendingDocumentCount(collection: here) == 3)
        try await replicator.run()
        #expect(try peers.there.defaultCollection().count == 3)
        try here.put(spellings[1], 2)
        #expect(
            try spellings.map { try replicator.isDocumentPending($0, collection: here) }
                == [false, true, false]
        )
        #expect(try replicator.pendingDocumentCount(collection: here) == 1)
    }

    @Test func `document IDs take precedence over the push filter when pending is counted`() throws
    {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        for id in ["a", "b", "c"] { try here.put(id, 1) }
        let configuration = try peers.configuration(.push) {
            $0.documentIDs = ["a", "b"]
            $0.pushFilter = { document, _ in document.id != "a" }
        }
        let pending = try Replicator(config: configuration).pendingDocumentIds(collection: here)
        #expect(pending == ["a", "b"])
    }

    @Test func `isDocumentPending reads only that document`() throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        for id in ["a", "b", "c"] { try here.put(id, 1) }
        let asked = Heard<String>()
        let configuration = try peers.configuration(.push) {
            $0.pushFilter = { document, _ in
                asked.append(document.id)
                return document.id != "a"
            }
        }
        let replicator = Replicator(config: configuration)
        #expect(try !replicator.isDocumentPending("a", collection: here))
        #expect(try replicator.isDocumentPending("c", collection: here))
        #expect(try !replicator.isDocumentPending("nobody", collection: here))
        #expect(try !replicator.isDocumentPending("_no ID", collection: here))
        #expect(asked.elements == ["a", "c"])
        #expect(try replicator.pendingDocumentIds(collection: here) == ["b", "c"])
    }

    @Test func `a document that was refused twice is not pending`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("a", 1)
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.access = { _ in
                var access = ListenerAccess()
                access.writeFilter = { document, _ in document.id != "a" }
                return access
            }
        }
        defer { listener.stop() }
        let target = try listener.endpoint()
        let configuration = try peers.configuration(.push, target: target)
        #expect(await events(configuration) == ["push a 0 \(CBLError.httpForbidden)"])
        let replicator = Replicator(config: configuration)
        #expect(try replicator.pendingDocumentIds(collection: here) == [])
        #expect(await events(configuration) == [], "it is not sent again")
        try here.put("a", 2)
        #expect(await events(configuration) == ["push a 0 \(CBLError.httpForbidden)"])
    }

    @Test func `pending documents are separate for each target`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("a", 1)
        try await Replicator(config: peers.configuration(.push)).run()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let other = try peers.configuration(.push, target: listener.endpoint())
        #expect(try Replicator(config: other).pendingDocumentIds(collection: here) == ["a"])
    }

    // MARK: Filters

    @Test func `a push filter gets the body, which is empty for a tombstone`()
        async throws
    {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("live", 7)
        try here.put("gone", 8)
        try here.delete(document: #require(try here.document(id: "gone")))
        let seen = Heard<String>()
        let configuration = try peers.configuration(.push) {
            $0.pushFilter = { document, flags in
                seen.append("\(document.id) \(document.toJSON()) \(flags.rawValue)")
                return true
            }
        }
        try await Replicator(config: configuration).run()
        #expect(Set(seen.elements) == [#"live {"value":7} 0"#, "gone {} 1"])
    }

    @Test func `a document excluded by a push filter is not reported, and the checkpoint advances`()
        async throws
    {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        let configuration = try peers.configuration(.push) { $0.pushFilter = { _, _ in false } }
        #expect(await events(configuration) == [])
        // Changing the filter later does not send old documents again.
        #expect(await events(try peers.configuration(.push)) == [])
        #expect(try peers.there.defaultCollection().count == 0)
        let replicator = Replicator(config: try peers.configuration(.push))
        let all = replicator.statusStream
        replicator.start(reset: true)
        for await _ in all {}
        #expect(try peers.there.defaultCollection().count == 1, "a reset does")
    }

    @Test func `a pull filter gets the body before it is stored and before blobs are fetched`()
        async throws
    {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        let document = MutableDocument(id: "a")
        document.setInt(1, forKey: "value")
        let content = Data(repeating: 7, count: 5_000)
        document.setBlob(Blob(contentType: "image/png", data: content), forKey: "pic")
        try there.save(document: document)
        let here = try peers.here.defaultCollection()
        let seen = Heard<String>()
        let configuration = try peers.configuration(.pull) {
            $0.pullFilter = { document, _ in
                let blob = document.blob(forKey: "pic")
                let isStored = (try? here.document(id: document.id)) ?? nil
                seen.append("\(blob?.length ?? 0) \(blob?.content?.count ?? -1) \(isStored == nil)")
                return true
            }
        }
        try await Replicator(config: configuration).run()
        #expect(seen.elements == ["5000 -1 true"])
        #expect(try here.document(id: "a")?.blob(forKey: "pic")?.content == content)
    }

    @Test func `a document rejected by a pull filter is 10403 and is not offered again`()
        async throws
    {
        let peers = try Peers()
        try peers.there.defaultCollection().put("a", 1)
        let configuration = try peers.configuration(.pull) { $0.pullFilter = { _, _ in false } }
        #expect(await events(configuration) == ["pull a 0 \(CBLError.httpForbidden)"])
        #expect(try peers.here.defaultCollection().count == 0)
        #expect(await events(try peers.configuration(.pull)) == [])
    }

    @Test func `documents passed to filters have their collection and cannot be edited`()
        async throws
    {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("a", 1)
        let seen = Heard<Bool>()
        let configuration = try peers.configuration(.push) {
            $0.pushFilter = { document, _ in
                seen.append(document.collection == here)
                return true
            }
        }
        try await Replicator(config: configuration).run()
        #expect(seen.elements == [true])
        await #expect(processExitsWith: .failure) {
            let peers = try Peers()
            try peers.here.defaultCollection().put("a", 1)
            let configuration = try peers.configuration(.push) {
                $0.pushFilter = { document, _ in
                    _ = document.toMutable()
                    return true
                }
            }
            try await Replicator(config: configuration).run()
        }
    }

    @Test func `documents passed to filters have their revision ID`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("mine", 1)
        try here.put("gone", 1)
        let gone = try #require(try here.document(id: "gone"))
        try here.delete(document: gone)
        try there.put("theirs", 1)
        let seen = Heard<[String?]>()
        @Sendable func keep(_ filter: String) -> ReplicationFilter {
            { document, _ in
                seen.append([filter, document.id, document.revisionID])
                return true
            }
        }
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.access = { _ in
                var access = ListenerAccess()
                access.readFilter = keep("read")
                access.writeFilter = keep("write")
                return access
            }
        }
        defer { listener.stop() }
        let configuration = try peers.configuration(target: listener.endpoint()) {
            $0.pushFilter = keep("push")
            $0.pullFilter = keep("pull")
        }
        let replicator = Replicator(config: configuration)
        #expect(try replicator.pendingDocumentIds(collection: here) == ["mine", "gone"])
        try await replicator.run()
        let (mine, theirs) = (
            try there.document(id: "mine")?.revisionID, try here.document(id: "theirs")?.revisionID
        )
        #expect(mine?.hasPrefix("1-") == true && theirs?.hasPrefix("1-") == true)
        let expected: Set<[String?]> = [
            ["push", "mine", mine], ["push", "gone", gone.revisionID], ["pull", "theirs", theirs],
            ["read", "theirs", theirs], ["write", "mine", mine],
            ["write", "gone", gone.revisionID],
        ]
        #expect(expected.subtracting(seen.elements) == [])
        #expect(!seen.elements.contains { $0[2] == nil })
    }

    @Test func `filters can use the database`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        for number in 0..<30 {
            try here.put("h\(number)", number)
            try there.put("t\(number)", number)
        }
        let other = try peers.here.createCollection(name: "log")
        let configuration = try peers.configuration {
            $0.pushFilter = { document, _ in
                try? other.put("push-\(document.id)", 1)
                return (try? here.document(id: document.id)) != nil
            }
            $0.pullFilter = { document, _ in
                try? other.put("pull-\(document.id)", 1)
                return true
            }
        }
        try await Replicator(config: configuration).run()
        #expect(there.count == 60)
        #expect(other.count == 60)
    }

    @Test func `each collection has its own filters, document IDs and resolver`() async throws {
        let peers = try Peers()
        let names = ["one", "two"]
        let here = try names.map { try peers.here.createCollection(name: $0) }
        let there = try names.map { try peers.there.createCollection(name: $0) }
        for collection in here {
            for id in ["a", "b"] { try collection.put(id, 1) }
        }
        var first = CollectionConfiguration(collection: here[0])
        first.documentIDs = ["a"]
        var second = CollectionConfiguration(collection: here[1])
        second.pushFilter = { document, _ in document.id == "b" }
        let configuration = ReplicatorConfiguration(
            collections: [first, second],
            target: DatabaseEndpoint(database: peers.there)
        )
        try await Replicator(config: configuration).run()
        #expect(try there.map { try $0.value("a") } == [1, nil])
        #expect(try there.map { try $0.value("b") } == [nil, 1])
    }
}
