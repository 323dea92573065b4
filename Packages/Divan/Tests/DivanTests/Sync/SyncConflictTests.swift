import Divan
import Foundation
import Testing

/// How a sync resolves conflicts.
@Suite(.timeLimit(.minutes(5))) struct SyncConflictTests {
    private struct Refusal: Error {}

    /// Asks another task, and joins the texts of both sides.
    private struct Joining: ConflictResolver {
        let conflicts: Collected<Conflict>

        func resolve(_ conflict: Conflict) async throws -> Document? {
            await Task.yield()
            conflicts.append(conflict)
            guard var result = conflict.local, let remote = conflict.remote else { return nil }
            let texts = [result.text?.string ?? "", remote.text?.string ?? ""]
            result.text = .init(texts.sorted().joined(separator: "+"))
            return result
        }
    }

    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    private func resolve(
        _ mine: Document = Document(id: "a", ["text": "mine"]),
        _ theirs: Document = Document(id: "a", ["text": "theirs"]),
        with resolver: any ConflictResolver
    ) async throws -> Sync.Summary {
        try await peers.notes.save(mine)
        try await peers.theirNotes.save(theirs)
        return try await Sync(peers.here, with: peers.there, resolver: resolver).run()
    }

    private var texts: [String?] {
        get throws {
            [
                try peers.notes.get("a")?.text?.string,
                try peers.theirNotes.get("a")?.text?.string,
            ]
        }
    }

    @Test func `an asynchronous resolver gets both documents, and its result reaches both sides`()
        async throws
    {
        let conflicts = Collected<Conflict>()
        _ = try await resolve(with: Joining(conflicts: conflicts))
        #expect(try texts == ["mine+theirs", "mine+theirs"])
        let conflict = try #require(conflicts.elements.first)
        #expect(conflict.documentID == "a" && conflict.collection == "notes")
        #expect(conflict.local?.text?.string == "mine" && conflict.peer == nil)
        #expect(conflict.remote?.text?.string == "theirs" && conflict.base == nil)
        #expect(conflict.local?.revision != nil && conflict.remote?.revision != nil)
    }

    @Test func `a resolver gets the common ancestor`() async throws {
        try await peers.notes.save(Document(id: "a", ["text": "old"]))
        try await Sync(peers.here, with: peers.there).run()
        for (notes, text) in [(try peers.notes, "mine"), (try peers.theirNotes, "theirs")] {
            var document = try #require(try await notes.get("a"))
            document.text = .init(text)
            try await notes.save(document)
        }
        let bases = Collected<String?>()
        let rule = ConflictRule.custom { conflict in
            bases.append(conflict.base?.text?.string)
            return conflict.remote
        }
        try await Sync(peers.here, with: peers.there, resolver: rule).run()
        #expect(bases.elements == ["old"])
        #expect(try texts == ["theirs", "theirs"])
    }

    @Test func `the local or the remote document can win`() async throws {
        _ = try await resolve(with: .localWins)
        #expect(try texts == ["mine", "mine"])
    }

    @Test func `the remote document can win`() async throws {
        _ = try await resolve(with: .remoteWins)
        #expect(try texts == ["theirs", "theirs"])
    }

    @Test func `a resolver that returns nil deletes the document`() async throws {
        _ = try await resolve(with: .custom { _ in nil })
        #expect(try texts == [nil, nil])
    }

    @Test func `a resolver can return a new document`() async throws {
        _ = try await resolve(with: .custom { Document(id: $0.documentID, ["text": "new"]) })
        #expect(try texts == ["new", "new"])
    }

    @Test func `a resolver that throws leaves the conflict open until the next run`()
        async throws
    {
        let summary = try await resolve(with: .custom { _ in throw Refusal() })
        #expect(summary.failureCount == 1 && summary.failures.first?.id == "a")
        #expect(summary.failures.first?.error?.remedy == "correct it, and sync again")
        #expect(try texts == ["mine", "theirs"])
        try await Sync(peers.here, with: peers.there, resolver: .remoteWins).run()
        #expect(try texts == ["theirs", "theirs"])
    }

    @Test func `conflicts can be left open`() async throws {
        let summary = try await resolve(with: .leaveOpen)
        #expect(summary.failures.first?.error?.code == .conflict)
        #expect(try texts == ["mine", "theirs"])
    }

    @Test func `fields of both sides are merged`() async throws {
        _ = try await resolve(
            Document(id: "a", ["text": "same", "mine": 1]),
            Document(id: "a", ["text": "same", "theirs": 2]),
            with: .mergeFields
        )
        for notes in [try peers.notes, try peers.theirNotes] {
            let document = try #require(try await notes.get("a"))
            #expect(document.mine?.int == 1 && document.theirs?.int == 2)
        }
    }

    @Test(arguments: [
        ["date": "2026-01-02T00:00:00Z"] as DocumentValue, ["date": 7], ["date": 2.5],
    ])
    func `the document with the later property wins`(_ later: DocumentValue) async throws {
        let earlier: DocumentValue = later["date"]?.string == nil ? 2 : "2026-01-01T00:00:00Z"
        _ = try await resolve(
            Document(id: "a", ["text": "mine", "date": later["date"] ?? .null]),
            Document(id: "a", ["text": "theirs", "date": earlier]),
            with: .latest(by: "date")
        )
        #expect(try texts == ["mine", "mine"])
    }

    @Test func `without a property to compare, the standard rule decides`() async throws {
        _ = try await resolve(with: .latest(by: "date"))
        let first = try texts
        let others = try SyncPeers()
        try await others.notes.save(Document(id: "a", ["text": "mine"]))
        try await others.theirNotes.save(Document(id: "a", ["text": "theirs"]))
        try await Sync(others.here, with: others.there).run()
        #expect(try await others.notes.get("a")?.text?.string == first[0])
    }

    @Test func `a resolver can delegate to a bundled rule`() async throws {
        _ = try await resolve(
            with: .custom { conflict in
                try await ConflictRule.localWins.resolve(conflict)
            }
        )
        #expect(try texts == ["mine", "mine"])
    }

    @Test func `a resolver can delegate to the merge of fields`() async throws {
        _ = try await resolve(
            Document(id: "a", ["text": "same", "mine": 1]),
            Document(id: "a", ["text": "same", "theirs": 2]),
            with: .custom { try await ConflictRule.mergeFields.resolve($0) }
        )
        for notes in [try peers.notes, try peers.theirNotes] {
            let merged = try await notes.get("a")
            #expect(merged?.mine?.int == 1 && merged?.theirs?.int == 2)
        }
    }

    @Test func `a resolver can delegate to the rule that leaves conflicts open`() async throws {
        let summary = try await resolve(
            with: .custom { try await ConflictRule.leaveOpen.resolve($0) }
        )
        #expect(summary.failures.map(\.id) == ["a"])
        #expect(try texts == ["mine", "theirs"])
    }

    @Test func `a deletion in conflict has no document`() async throws {
        try await peers.notes.save(Document(id: "a", ["text": "old"]))
        try await Sync(peers.here, with: peers.there).run()
        try await peers.notes.delete("a")
        var theirs = try #require(try await peers.theirNotes.get("a"))
        theirs.text = "theirs"
        try await peers.theirNotes.save(theirs)
        let locals = Collected<Bool>()
        let rule = ConflictRule.custom { conflict in
            locals.append(conflict.local == nil)
            return conflict.remote
        }
        try await Sync(peers.here, with: peers.there, resolver: rule).run()
        #expect(locals.elements == [true])
        #expect(try texts == ["theirs", "theirs"])
    }

    @Test func `a selection can have its own resolver`() async throws {
        try await peers.notes.save(Document(id: "a", ["text": "mine"]))
        try await peers.theirNotes.save(Document(id: "a", ["text": "theirs"]))
        let selection = Sync.Selection(try peers.notes, resolver: .localWins)
        let sync = Sync(
            peers.here,
            with: peers.there,
            collections: [selection],
            resolver: .remoteWins
        )
        try await sync.run()
        #expect(try texts == ["mine", "mine"])
    }

    /// Stops while the resolver begins, when the sync may not know it yet.
    @Test func `stopping the sync cancels a resolver that waits`() async throws {
        try await peers.notes.save(Document(id: "a", ["text": "mine"]))
        try await peers.theirNotes.save(Document(id: "a", ["text": "theirs"]))
        for _ in 1...20 {
            let (asked, asking) = AsyncStream.makeStream(of: Void.self)
            let (never, kept) = AsyncStream.makeStream(of: Void.self)
            let rule = ConflictRule.custom { _ in
                asking.yield()
                for await _ in never {}
                throw CancellationError()
            }
            let sync = Sync(peers.here, with: peers.there, resolver: rule)
            sync.start()
            for await _ in asked { break }
            await sync.stop()
            #expect(sync.status.activity == .stopped)
            #expect(try texts == ["mine", "theirs"])
            kept.finish()
        }
    }
}
