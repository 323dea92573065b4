import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The rules included in the library, with two databases and called directly.
@Suite(.timeLimit(.minutes(5))) struct BundledResolverTests {
    /// Two databases that share one document, which each then changes in its own way.
    private func peers(
        shared: String = #"{"title":"plan","room":{"number":1,"floor":2},"old":true}"#,
        here: (MutableDocument) throws -> Void,
        there: (MutableDocument) throws -> Void
    ) async throws -> Peers {
        let peers = try Peers()
        let mine = try peers.here.defaultCollection()
        try mine.save(document: MutableDocument(id: "a", json: shared))
        try await Replicator(config: peers.configuration()).run()
        try change(mine, here)
        try change(peers.there.defaultCollection(), there)
        return peers
    }

    private func change(
        _ collection: CouchbaseLiteSwift.Collection,
        _ edit: (MutableDocument) throws -> Void
    ) throws {
        let document = try #require(try collection.document(id: "a")).toMutable()
        try edit(document)
        try collection.save(document: document)
    }

    /// Syncs with a rule, and returns what both databases contain afterwards.
    private func outcome(
        of resolver: (any ConflictResolverProtocol)?,
        _ peers: Peers
    ) async throws -> String {
        let configuration = try peers.configuration { $0.conflictResolver = resolver }
        try await Replicator(config: configuration).run()
        let texts = try [peers.here, peers.there].map { database in
            try database.defaultCollection().document(id: "a")?.toJSON() ?? "deleted"
        }
        #expect(texts[0] == texts[1])
        return texts[0]
    }

    @Test func `a field merge keeps the changes of both sides, also in dictionaries`() async throws
    {
        let peers = try await peers(
            here: { document in
                document.setString("new plan", forKey: "title")
                document["room"].dictionary?.setInt(7, forKey: "number")
            },
            there: { document in
                document["room"].dictionary?.setInt(3, forKey: "floor")
                document.removeValue(forKey: "old")
                document.setArray(MutableArrayObject(data: [1, 2]), forKey: "rows")
            }
        )
        let merged = try await outcome(of: .fieldMerge, peers)
        #expect(
            merged == #"{"room":{"floor":3,"number":7},"rows":[1,2],"title":"new plan"}"#
        )
    }

    @Test func `a field changed on both sides gets the default winner's value`() async throws {
        let peers = try await peers(
            here: { document in
                document.setInt(10, forKey: "value")
                document.setInt(1, forKey: "mine")
            },
            there: { $0.setInt(20, forKey: "value") }
        )
        // One more revision makes this side the winner.
        let mine = try peers.here.defaultCollection()
        try mine.save(document: try #require(try mine.document(id: "a")).toMutable())
        let merged = try await outcome(of: ConflictResolver.fieldMerge, peers)
        let document = try MutableDocument(json: merged)
        #expect(document.int(forKey: "value") == 10)
        #expect(document.int(forKey: "mine") == 1)
    }

    @Test func `a field merge leaves a deleted document deleted`() async throws {
        let peers = try await peers(here: { $0.setInt(1, forKey: "value") }, there: { _ in })
        let theirs = try peers.there.defaultCollection()
        try theirs.delete(document: try #require(try theirs.document(id: "a")))
        #expect(try await outcome(of: .fieldMerge, peers) == "deleted")
    }

    @Test func `a field merge keeps a blob that only one side set`() async throws {
        let content = Data("flag".utf8)
        let peers = try await peers(
            here: { $0.setString("new plan", forKey: "title") },
            there: { $0.setBlob(Blob(contentType: "text/plain", data: content), forKey: "flag") }
        )
        _ = try await outcome(of: .fieldMerge, peers)
        for database in [peers.here, peers.there] {
            let document = try database.defaultCollection().document(id: "a")
            #expect(document?.blob(forKey: "flag")?.content == content)
            #expect(document?.string(forKey: "title") == "new plan")
        }
    }

    @Test func `local wins keeps the local revision even if the remote history is longer`()
        async throws
    {
        let peers = try await peers(
            here: { $0.setInt(10, forKey: "value") },
            there: { $0.setInt(20, forKey: "value") }
        )
        try peers.there.defaultCollection().put("a", 21)
        let kept = try MutableDocument(json: try await outcome(of: .localWins, peers))
        #expect(kept.int(forKey: "value") == 10)
    }

    @Test func `remote wins keeps the remote revision even if the local history is longer`()
        async throws
    {
        let peers = try await peers(
            here: { $0.setInt(10, forKey: "value") },
            there: { $0.setInt(20, forKey: "value") }
        )
        try peers.here.defaultCollection().put("a", 11)
        let kept = try MutableDocument(json: try await outcome(of: .remoteWins, peers))
        #expect(kept.int(forKey: "value") == 20)
    }

    /// A resolver may examine a conflict and then delegate it to a rule.
    @Test(arguments: [10, 20])
    func `a custom resolver can delegate to a bundled resolver`(kept: Int) async throws {
        struct Chooser: ConflictResolverProtocol {
            let kept: Int

            func resolve(conflict: Conflict) -> Document? {
                let mine = conflict.localDocument?.int(forKey: "value") == kept
                let rule = mine ? ConflictResolver.localWins : ConflictResolver.remoteWins
                return rule.resolve(conflict: conflict)
            }
        }
        let peers = try await peers(
            here: { $0.setInt(10, forKey: "value") },
            there: { $0.setInt(20, forKey: "value") }
        )
        let text = try await outcome(of: Chooser(kept: kept), peers)
        #expect(try MutableDocument(json: text).int(forKey: "value") == kept)
    }

    /// Both sides delete the document, and one writes it again: a deleted side alone does not decide.
    @Test func `a document restored after a deletion wins, also if a custom resolver asks`()
        async throws
    {
        let bundled: [BundledConflictResolver] = [.default, .fieldMerge]
        let rules: [any ConflictResolverProtocol] = bundled + bundled.map { Delegating(rule: $0) }
        for rule in rules {
            let peers = try Peers { $0.revisionScheme = .versionVectors }
            let (mine, theirs) = (
                try peers.here.defaultCollection(), try peers.there.defaultCollection()
            )
            try mine.save(document: MutableDocument(id: "a", json: "{}"))
            try await Replicator(config: peers.configuration()).run()
            for collection in [theirs, mine] {
                try collection.delete(document: try #require(try collection.document(id: "a")))
            }
            try mine.save(document: MutableDocument(id: "a", json: #"{"v":2}"#))
            #expect(try await outcome(of: rule, peers) == #"{"v":2}"#)
        }
    }

    private struct Delegating: ConflictResolverProtocol {
        let rule: BundledConflictResolver

        func resolve(conflict: Conflict) -> Document? { rule.resolve(conflict: conflict) }
    }

    @Test func `a field merge knows the common ancestor when a custom resolver calls it`()
        async throws
    {
        struct Asking: ConflictResolverProtocol {
            func resolve(conflict: Conflict) -> Document? {
                BundledConflictResolver.fieldMerge.resolve(conflict: conflict)
            }
        }
        let peers = try await peers(
            here: { $0.setInt(1, forKey: "mine") },
            there: { $0.setInt(2, forKey: "theirs").removeValue(forKey: "old") }
        )
        let merged = try MutableDocument(json: try await outcome(of: Asking(), peers))
        #expect(merged.int(forKey: "mine") == 1)
        #expect(merged.int(forKey: "theirs") == 2)
        #expect(!merged.contains(key: "old"))
    }

    @Test(arguments: [
        BundledConflictResolver.default, .localWins, .remoteWins, .fieldMerge, .leaveOpen,
    ])
    func `each bundled resolver satisfies the resolver contract`(
        _ rule: BundledConflictResolver
    ) throws {
        let peers = try Peers()
        let collection = try peers.here.defaultCollection()
        #expect(ConflictResolver.violations(of: rule, in: collection) == [])
    }
}
