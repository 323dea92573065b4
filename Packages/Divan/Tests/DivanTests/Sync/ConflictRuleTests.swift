import Divan
import Testing

/// Conflicts that a test creates, as applications test their resolvers.
@Suite struct ConflictRuleTests {
    private let mine = Document(id: "a", ["text": "mine", "date": 1, "one": 1])
    private let theirs = Document(id: "a", ["text": "theirs", "date": 2, "two": 2])

    private func resolve(
        _ rule: ConflictRule,
        _ local: Document?,
        _ remote: Document?,
        base: Document? = nil
    ) async throws -> Document? {
        let conflict = Conflict(documentID: "a", local: local, remote: remote, base: base)
        #expect(conflict.collection == "_default")
        return try await rule.resolve(conflict)
    }

    @Test func `a rule decides about documents that were never saved`() async throws {
        #expect(try await resolve(.localWins, mine, theirs) == mine)
        #expect(try await resolve(.remoteWins, mine, theirs) == theirs)
        #expect(try await resolve(.latest(by: "date"), mine, theirs) == theirs)
        #expect(try await resolve(.custom { $0.local }, mine, theirs) == mine)
        let winner = try await resolve(.standard, mine, theirs)
        #expect(winner == mine || winner == theirs)
        #expect(try await resolve(.standard, theirs, mine) == winner)
        await #expect(throws: DivanError.self) { try await resolve(.leaveOpen, mine, theirs) }
    }

    @Test func `a deletion wins by the standard rule, and an edit by the rules for one side`()
        async throws
    {
        #expect(try await resolve(.standard, nil, theirs) == nil)
        #expect(try await resolve(.standard, mine, nil) == nil)
        #expect(try await resolve(.localWins, mine, nil) == mine)
        #expect(try await resolve(.localWins, nil, theirs) == nil)
    }

    @Test func `the longer history wins by the standard rule`() async throws {
        let notes = try Database.inMemory().documents
        let first = try await notes.save(mine)
        var changed = first
        changed.date = 3
        let second = try await notes.save(changed)
        #expect(try await resolve(.standard, first, second) == second)
        #expect(try await resolve(.standard, second, first) == second)
    }

    @Test func `fields that only one side changed are merged`() async throws {
        let base = Document(id: "a", ["text": "old", "one": 0, "two": 2])
        let local = Document(id: "a", ["text": "old", "one": 1, "two": 2])
        let remote = Document(id: "a", ["text": "new", "one": 0])
        let merged = try await resolve(.mergeFields, local, remote, base: base)
        #expect(merged == Document(id: "a", ["text": "new", "one": 1]))
    }
}
