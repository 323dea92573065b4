import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// `divan revs` draws what the store contains.
@Suite struct RevisionsTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func insert(_ revisions: [RemoteRevision]) throws {
        let store = try Store.open(directory: shell.path("db.cblite2"))
        let remote = try store.remoteID(for: "wss://hub/db")
        try store.write { writer in
            for revision in revisions {
                var revision = revision
                revision.remote = remote
                _ = try writer.insert(revision, in: .default)
            }
        }
        try store.close()
    }

    private func revision(_ id: String, after history: String...) throws -> RemoteRevision {
        RemoteRevision(
            documentID: "one",
            revisionID: try #require(RevisionID(id)),
            history: history.compactMap { RevisionID($0) },
            body: Array("{\"r\":\"\(id)\"}".utf8)
        )
    }

    @Test func `revs lists revisions from oldest to newest`() throws {
        for number in 1...3 { try shell.run("put", "db", "one", "{\"n\":\(number)}") }
        let lines = try shell.run("revs", "db", "one").output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("○ 1-"))
        #expect(lines[1].hasPrefix("○ 2-"))
        #expect(lines[2].hasPrefix("● 3-"))
        #expect(lines[2].hasSuffix("  current, 7 B"))
    }

    @Test func `revs shows the tree of a deleted document`() throws {
        try shell.run("put", "db", "one", "{}")
        try shell.run("rm", "db", "one")
        let lines = try shell.run("revs", "db", "one").output.split(separator: "\n")
        #expect(lines.last?.hasPrefix("✕ 2-") == true)
        #expect(lines.last?.hasSuffix("  current, tombstone") == true)
    }

    @Test func `revs shows a conflict as a branch with its remote`() throws {
        try insert([try revision("1-aa")])
        try shell.run("put", "db", "one", "{\"by\":\"me\"}")
        try insert([try revision("3-cc", after: "2-bb", "1-aa")])
        let lines = try shell.run("revs", "db", "one").output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("● 1-aa"))
        #expect(lines[1].hasPrefix("├─○ 2-bb  in conflict"))
        #expect(lines[2].hasPrefix("│ ● 3-cc  in conflict, on wss://hub/db, "))
        #expect(lines[3].hasPrefix("● 2-"))
        #expect(lines[3].hasSuffix("  current, 11 B"))
    }

    @Test func `revs --json prints parents, leaves and remotes`() throws {
        try insert([try revision("2-bb", after: "1-aa")])
        let object = try shell.run("revs", "db", "one", "--json").json()
        let revisions = try #require(object["revisions"] as? [[String: Any]])
        #expect(revisions.map { $0["revision"] as? String } == ["2-bb", "1-aa"])
        #expect(revisions[0]["parent"] as? String == "1-aa")
        #expect(revisions[0]["remotes"] as? [String] == ["wss://hub/db"])
        #expect(revisions[0]["current"] as? Bool == true)
        #expect(revisions[1]["leaf"] as? Bool == false)
        #expect(revisions[1]["bytes"] == nil)
    }

    @Test func `revs reports a missing document`() throws {
        let outcome = try shell.divan("revs", "db", "one")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("document 'one' not found in collection '_default'"))
    }
}
