import Divan
import Foundation
import Testing

/// Which documents a sync transfers.
@Suite(.timeLimit(.minutes(5))) struct SyncFilterTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
        try peers.notes.save(Document(id: "draft", ["isDraft": true]))
        try peers.notes.save(Document(id: "text", ["isDraft": false]))
    }

    private func run(
        push: Sync.Filter? = nil,
        pull: Sync.Filter? = nil,
        documentIDs: [String] = []
    ) async throws {
        let selection = Sync.Selection(
            try peers.notes,
            documentIDs: documentIDs,
            push: push,
            pull: pull
        )
        try await Sync(peers.here, with: peers.there, collections: [selection]).run()
    }

    private func arrived(_ id: String) throws -> Bool { try peers.theirNotes.get(id) != nil }

    private struct Page: Codable, Identifiable {
        var id: String
        var isDraft: Bool
    }

    static let filters: [Sync.Filter] = [
        .where(#Predicate<Page> { !$0.isDraft }),
        .where(#Predicate<Page> { $0.id == "text" || $0.id == "their-text" }),
        .where { $0.isDraft == false },
        .where { document in
            await Task.yield()
            return document.isDraft == false
        },
        .where("isDraft = false"),
        .where("isDraft = $wanted", ["wanted": false]),
        .where("ARRAY_CONTAINS($ids, META().id)", ["ids": ["text", "other"]]),
        .where("$limit > 1.5 AND $kind = 'a' AND isDraft = false", ["limit": 2, "kind": "a"]),
    ]

    @Test(arguments: filters.indices)
    func `a push filter selects the documents to send`(_ index: Int) async throws {
        try await run(push: Self.filters[index])
        #expect(try arrived("text"))
        #expect(try !arrived("draft"))
    }

    @Test(arguments: filters.indices)
    func `a pull filter selects the documents to store`(_ index: Int) async throws {
        try await peers.theirNotes.save(Document(id: "their-draft", ["isDraft": true]))
        try await run(pull: Self.filters[index])
        #expect(try await peers.notes.get("their-draft") == nil)
        #expect(try arrived("draft"))
    }

    @Test func `a document that the pull filter rejects is reported as such`() async throws {
        try await peers.theirNotes.save(Document(id: "theirs", [:]))
        let selection = Sync.Selection(try peers.notes, pull: .where { _ in false })
        let summary = try await Sync(peers.here, with: peers.there, collections: [selection]).run()
        let failure = try #require(summary.failures.first)
        #expect(failure.id == "theirs" && !failure.isPush)
        #expect(failure.error?.code == .forbidden)
        #expect(failure.error?.problem == "the pull filter refused it")
    }

    @Test func `a collection cannot be selected twice`() async throws {
        let notes = try peers.notes
        let sync = Sync(
            peers.here,
            with: peers.there,
            collections: [Sync.Selection(notes), Sync.Selection(notes, documentIDs: ["draft"])]
        )
        #expect(await failure(of: sync)?.code == .invalidArgument)
        #expect(try !arrived("text"))
    }

    @Test func `a predicate is the name of its filter, and must be one that queries can use`()
        async throws
    {
        let drafts = Sync.Filter.where(#Predicate<Page> { $0.isDraft })
        let texts = Sync.Filter.where(#Predicate<Page> { !$0.isDraft })
        #expect(drafts.name?.contains("isDraft") == true)
        #expect(drafts.name != texts.name)
        let impossible = Sync.Filter.where(#Predicate<Page> { $0.id.count == 3 })
        await #expect(throws: DivanError.invalidArgument) { try await run(push: impossible) }
    }

    @Test func `only the chosen documents are transferred`() async throws {
        try await run(documentIDs: ["draft"])
        #expect(try arrived("draft"))
        #expect(try !arrived("text"))
    }

    @Test func `deletions pass a filter that selects by properties`() async throws {
        try await run()
        #expect(try arrived("text"))
        try await peers.notes.delete("text")
        try await run(push: .where { $0.isDraft == false })
        #expect(try !arrived("text"))
    }

    @Test func `with another condition, rejected documents are checked again`() async throws {
        try await run(push: .where("isDraft = false"))
        #expect(try !arrived("draft"))
        try await run(push: .where("TRUE"))
        #expect(try arrived("draft"))
    }

    @Test func `an invalid condition ends the run with invalidQuery`() async throws {
        let selection = Sync.Selection(try peers.notes, push: .where("isDraft = "))
        let sync = Sync(peers.here, with: peers.there, collections: [selection])
        #expect(await failure(of: sync)?.code == .invalidQuery)
        let unbound = Sync.Selection(try peers.notes, push: .where("isDraft = $a"))
        let other = Sync(peers.here, with: peers.there, collections: [unbound])
        #expect(await failure(of: other)?.code == .invalidQuery)
    }
}

/// What has not been sent, and what was refused.
@Suite(.timeLimit(.minutes(5))) struct SyncPendingTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    @Test func `documents are pending until they are sent`() async throws {
        let notes = try peers.notes
        try await notes.save(Document(id: "b"))
        try await notes.save(Document(id: "a"))
        let sync = Sync(peers.here, with: peers.there)
        #expect(try await sync.pending() == ["a", "b"])
        #expect(try await sync.pending(in: notes) == ["a", "b"])
        #expect(try await sync.pendingCount() == 2)
        #expect(try await sync.isPending("a", in: notes))
        #expect(try await !sync.isPending("c", in: notes))
        try await sync.run()
        #expect(try await sync.pending().isEmpty)
        #expect(try await sync.pendingCount(in: notes) == 0)
    }

    @Test func `the plain forms give the same answers`() throws {
        let notes = try peers.notes
        try notes.save(Document(id: "a"))
        let sync = Sync(peers.here, with: peers.there)
        #expect(try sync.pending() == ["a"])
        #expect(try sync.pendingCount() == 1)
        #expect(try sync.isPending("a", in: notes))
        #expect(try sync.refused().isEmpty)
    }

    @Test func `a sync that only pulls has no pending documents`() async throws {
        let sync = Sync(peers.here, with: peers.there, direction: .pull)
        let error = await #expect(throws: DivanError.self) { try await sync.pending() }
        #expect(error?.code == .unsupported && error?.remedy != nil)
        #expect(try await sync.refused().isEmpty)
    }

    @Test func `a collection that is not synced has no pending documents`() async throws {
        let photos = try await peers.here.collection("photos")
        let selection = Sync.Selection(try peers.notes)
        let sync = Sync(peers.here, with: peers.there, collections: [selection])
        let error = await #expect(throws: DivanError.self) { try await sync.pending(in: photos) }
        #expect(error?.code == .notOpen && error?.remedy != nil)
    }

    @Test func `a refused document is listed with its reason, and sent again on request`()
        async throws
    {
        let rules = Collected<Bool>()
        let listener = try await peers.listen(
            access: { _ in
                rules.elements.isEmpty ? Listener.Access(writes: .where { _ in false }) : .full
            }
        )
        try await peers.notes.save(Document(id: "a"))
        let sync = try peers.sync(listener)
        #expect(try await sync.run().failureCount == 1)
        let refused = try #require(try await sync.refused().first)
        #expect(refused.id == "a" && refused.collection == "notes" && refused.isPush)
        #expect(refused.error.code == .forbidden && refused.revision.hasPrefix("1-"))
        #expect(try await sync.pending().isEmpty)

        rules.append(true)
        #expect(try await sync.run().pushedCount == 0)
        #expect(try await sync.run(retryingRefused: true).pushedCount == 1)
        #expect(try await sync.refused().isEmpty)
        #expect(try await peers.theirNotes.get("a") != nil)
        await listener.stop()
    }
}
