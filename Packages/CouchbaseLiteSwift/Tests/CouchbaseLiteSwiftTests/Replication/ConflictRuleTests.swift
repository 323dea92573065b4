import CouchbaseLiteSwift
import Dispatch
import Foundation
import Synchronization
import Testing

/// Conflicts that a pull finds: `behaviour.md` §9, rule by rule.
@Suite(.timeLimit(.minutes(5))) struct ConflictRuleTests {
    private struct Resolver: ConflictResolverProtocol {
        let answer: @Sendable (Conflict) -> Document?

        func resolve(conflict: Conflict) -> Document? { answer(conflict) }
    }

    /// Two databases that share documents and have since changed them.
    private func conflicted(
        _ ids: [String] = ["a"],
        here: (CouchbaseLiteSwift.Collection, String) throws -> Void = { try $0.put($1, 10) },
        there: (CouchbaseLiteSwift.Collection, String) throws -> Void = { try $0.put($1, 20) }
    ) async throws -> Peers {
        let peers = try Peers()
        for id in ids { try peers.here.defaultCollection().put(id, 1) }
        try await Replicator(config: peers.configuration()).run()
        for id in ids {
            try here(peers.here.defaultCollection(), id)
            try there(peers.there.defaultCollection(), id)
        }
        return peers
    }

    private func configuration(
        _ peers: Peers,
        _ answer: @escaping @Sendable (Conflict) -> Document?
    ) throws -> ReplicatorConfiguration {
        try peers.configuration { $0.conflictResolver = Resolver(answer: answer) }
    }

    private static func delete(_ collection: CouchbaseLiteSwift.Collection, _ id: String) throws {
        try collection.delete(document: #require(try collection.document(id: id)))
    }

    @Test func `a listener rejects conflicting pushes and resolves nothing`() async throws {
        let peers = try await conflicted()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let replicator = Replicator(
            config: try peers.configuration(.push, target: listener.endpoint())
        )
        let events = replicator.documentReplicationStream
        replicator.start()
        var codes: [Int] = []
        for await event in events {
            codes += event.documents.map { ($0.error as NSError?)?.code ?? 0 }
        }
        #expect(codes == [CBLError.httpConflict])
        #expect(try peers.there.defaultCollection().value("a") == 20)
    }

    @Test func `default: both peers pick the same winner, whichever of them replicates`()
        async throws
    {
        let ids = (0..<20).map { "d\($0)" }
        let first = try await conflicted(ids)
        try await Replicator(config: first.configuration()).run()
        let second = try await conflicted(ids)
        // The other database is now the active one.
        let mirrored = ReplicatorConfiguration(
            collections: [
                CollectionConfiguration(collection: try second.there.defaultCollection())
            ],
            target: DatabaseEndpoint(database: second.here)
        )
        try await Replicator(config: mirrored).run()
        for id in ids {
            let values = try [first.here, first.there, second.here, second.there].map {
                try $0.defaultCollection().value(id)
            }
            #expect(Set(values).count == 1, "\(id): \(values)")
        }
    }

    @Test func `both deleted: the remote tombstone is kept without calling the resolver`()
        async throws
    {
        let peers = try await conflicted(
            here: { collection, id in
                try collection.put(id, 2)
                try Self.delete(collection, id)
            },
            there: Self.delete
        )
        let asked = Heard<String>()
        let configuration = try configuration(peers) { conflict in
            asked.append(conflict.documentID)
            return conflict.localDocument
        }
        try await Replicator(config: configuration).run()
        #expect(asked.elements == [])
        #expect(try peers.here.defaultCollection().value("a") == nil)
    }

    @Test func `localDocument is nil when that side is deleted`() async throws {
        let peers = try await conflicted(here: Self.delete)
        let seen = Heard<Bool>()
        let configuration = try configuration(peers) { conflict in
            seen.append(conflict.localDocument == nil && conflict.remoteDocument != nil)
            return conflict.remoteDocument
        }
        try await Replicator(config: configuration).run()
        #expect(seen.elements == [true])
        #expect(try peers.here.defaultCollection().value("a") == 20)
    }

    @Test func `a resolver that returns nil deletes the document on both sides`() async throws {
        let peers = try await conflicted()
        try await Replicator(config: configuration(peers) { _ in nil }).run()
        for database in [peers.here, peers.there] {
            #expect(try database.defaultCollection().document(id: "a") == nil)
        }
    }

    @Test func `a resolved document with a different ID is stored under the right one`()
        async throws
    {
        let peers = try await conflicted()
        let configuration = try configuration(peers) { _ in
            MutableDocument(id: "wrong", data: ["value": 99])
        }
        try await Replicator(config: configuration).run()
        for database in [peers.here, peers.there] {
            let collection = try database.defaultCollection()
            #expect(try collection.value("a") == 99)
            #expect(try collection.document(id: "wrong") == nil)
        }
    }

    @Test func `the documents of a conflict have their stored sequences`()
        async throws
    {
        let peers = try await conflicted()
        let here = try peers.here.defaultCollection()
        let heard = Heard<[UInt64]>()
        let configuration = try configuration(peers) { conflict in
            let stored = try? here.document(id: "a")
            let documents = [stored, conflict.localDocument, conflict.remoteDocument]
            heard.append(documents.map { $0?.sequence ?? 0 })
            return conflict.remoteDocument
        }
        try await Replicator(config: configuration).run()
        let sequences = try #require(heard.elements.first)
        #expect(sequences[0] == sequences[1] && !sequences.contains(0))
    }

    @Test func `a resolved document of another database is an error with code 8`() async throws {
        let peers = try await conflicted()
        let foreign = try peers.there.defaultCollection()
        let replicator = Replicator(
            config: try configuration(peers) { _ in try? foreign.document(id: "a") }
        )
        let events = replicator.documentReplicationStream
        replicator.start()
        var errors: [NSError?] = []
        for await event in events where !event.isPush {
            errors += event.documents.map { $0.error as NSError? }
        }
        #expect(errors.map(\.?.code) == [CBLError.conflict])
        #expect(
            errors.first??.localizedDescription
                == "document a: the conflict resolver returned a document of "
                + "another collection or database; return the local, the remote or a new "
                + "document, or nil"
        )
        #expect(try peers.here.defaultCollection().value("a") == 10, "the conflict stays")

        try await Replicator(config: configuration(peers) { $0.remoteDocument }).run()
        #expect(try peers.here.defaultCollection().value("a") == 20, "and is tried again")
    }

    @Test func `a document with a blob of another database is an error with code 10`() async throws
    {
        let peers = try await conflicted()
        let foreign = try peers.there.createCollection(name: "pictures")
        let blob = Blob(contentType: "a/b", data: Data("theirs".utf8))
        try foreign.save(document: MutableDocument(id: "b").setBlob(blob, forKey: "blob"))
        let replicator = Replicator(
            config: try configuration(peers) { _ in
                MutableDocument(id: "a").setBlob(foreign["b"]["blob"].blob, forKey: "blob")
            }
        )
        let events = replicator.documentReplicationStream
        replicator.start()
        var errors: [NSError?] = []
        for await event in events where !event.isPush {
            errors += event.documents.map { $0.error as NSError? }
        }
        #expect(errors.map(\.?.domain) == [CBLError.domain])
        #expect(errors.map(\.?.code) == [CBLError.unexpectedError])
        let sentence =
            "A document contains a blob that was saved to a different database. "
            + "The save operation cannot complete."
        #expect(errors.first??.localizedDescription == sentence)
        #expect(try peers.here.defaultCollection().value("a") == 10, "the conflict stays")
    }

    @Test func `a resolved document that cannot be stored is an error with code 10`() async throws {
        let peers = try await conflicted()
        let replicator = Replicator(
            config: try configuration(peers) { _ in
                MutableDocument(id: "a", data: ["ratio": Double.infinity])
            }
        )
        let events = replicator.documentReplicationStream
        replicator.start()
        var errors: [NSError?] = []
        for await event in events where !event.isPush {
            errors += event.documents.map { $0.error as NSError? }
        }
        #expect(errors.map(\.?.code) == [CBLError.unexpectedError])
        let sentence = try #require(errors.first??.localizedDescription)
        #expect(sentence.contains("inf cannot be stored as JSON") && !sentence.contains("UserInfo"))
        #expect(try peers.here.defaultCollection().value("a") == 10, "the conflict stays")
    }

    @Test func `a resolved local document is saved as a child of the remote revision and pushed`()
        async throws
    {
        let peers = try await conflicted()
        let remote = try peers.there.defaultCollection().document(id: "a")?.revisionID
        let configuration = try configuration(peers) { conflict in
            let edited = conflict.localDocument?.toMutable()
            edited?.setString("yes", forKey: "merged")
            return edited
        }
        try await Replicator(config: configuration).run()
        let here = try #require(try peers.here.defaultCollection().document(id: "a"))
        let there = try #require(try peers.there.defaultCollection().document(id: "a"))
        #expect(here.string(forKey: "merged") == "yes")
        #expect(here.int(forKey: "value") == 10)
        #expect(here.revisionID == there.revisionID)
        #expect(here.revisionID?.hasPrefix("3-") == true, "one more than \(remote ?? "")")
    }

    @Test func `returning the remote document unchanged creates no new revision`() async throws {
        let peers = try await conflicted()
        let remote = try peers.there.defaultCollection().document(id: "a")?.revisionID
        try await Replicator(config: configuration(peers) { $0.remoteDocument }).run()
        #expect(try peers.here.defaultCollection().document(id: "a")?.revisionID == remote)
        #expect(try peers.there.defaultCollection().document(id: "a")?.revisionID == remote)
    }

    @Test func `a document purged during resolution is reported as not found`() async throws {
        let peers = try await conflicted()
        let here = try peers.here.defaultCollection()
        let replicator = Replicator(
            config: try configuration(peers) { conflict in
                try? here.purge(id: "a")
                return conflict.localDocument
            }
        )
        let events = replicator.documentReplicationStream
        replicator.start()
        var codes: [Int?] = []
        for await event in events where !event.isPush {
            codes += event.documents.map { ($0.error as NSError?)?.code }
        }
        #expect(codes == [CBLError.notFound])
    }

    @Test func `replication continues while a resolver is running`() async throws {
        let peers = try await conflicted()
        let there = try peers.there.defaultCollection()
        let gate = DispatchSemaphore(value: 0)
        var configuration = try configuration(peers) { conflict in
            gate.wait()
            return conflict.remoteDocument
        }
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        let changes = replicator.statusStream
        replicator.start()
        for number in 0..<20 { try there.put("more-\(number)", number) }
        let here = try peers.here.defaultCollection()
        try await here.wait { here.count == 21 }
        #expect(try here.value("a") == 10, "the conflict is still open")
        gate.signal()
        try await here.wait { try here.value("a") == 20 }
        replicator.stop()
        for await _ in changes {}
    }

    @Test func `conflicts are resolved concurrently`() async throws {
        let peers = try await conflicted((0..<8).map { "d\($0)" })
        let together = DispatchSemaphore(value: 0)
        let running = Mutex(0)
        let configuration = try configuration(peers) { conflict in
            // The first waits until a second one is running.
            let count = running.withLock { count in
                count += 1
                return count
            }
            if count == 1 { together.wait() }
            if count == 2 { together.signal() }
            return conflict.remoteDocument
        }
        try await Replicator(config: configuration).run()
        #expect(running.withLock { $0 } == 8)
    }

    @Test func `a resolver can use the database`() async throws {
        let peers = try await conflicted((0..<10).map { "d\($0)" })
        let log = try peers.here.createCollection(name: "log")
        let configuration = try configuration(peers) { conflict in
            try? log.put(conflict.documentID, 1)
            return conflict.remoteDocument
        }
        try await Replicator(config: configuration).run()
        #expect(log.count == 10)
    }

    @Test func `a merged document can use a blob from either side`() async throws {
        let put = { (text: String) in
            { (collection: CouchbaseLiteSwift.Collection, id: String) throws -> Void in
                let document = try #require(try collection.document(id: id)).toMutable()
                let blob = Blob(contentType: "text/plain", data: Data(text.utf8))
                document.setBlob(blob, forKey: text)
                try collection.save(document: document)
            }
        }
        let peers = try await conflicted(here: put("mine"), there: put("theirs"))
        let configuration = try configuration(peers) { conflict in
            let merged = conflict.localDocument?.toMutable()
            merged?.setBlob(conflict.remoteDocument?.blob(forKey: "theirs"), forKey: "theirs")
            return merged
        }
        try await Replicator(config: configuration).run()
        for database in [peers.here, peers.there] {
            let document = try database.defaultCollection().document(id: "a")
            for text in ["mine", "theirs"] {
                #expect(document?.blob(forKey: text)?.content == Data(text.utf8))
            }
        }
    }

    @Test func `a resolved conflict is not replicated again`() async throws {
        let peers = try await conflicted()
        let configuration = try configuration(peers) { conflict in
            let merged = conflict.localDocument?.toMutable()
            merged?.setInt(30, forKey: "value")
            return merged
        }
        try await Replicator(config: configuration).run()
        let events = Replicator(config: configuration)
        let stream = events.documentReplicationStream
        events.start()
        var count = 0
        for await event in stream { count += event.documents.count }
        #expect(count == 0)
    }
}
