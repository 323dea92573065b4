import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// A database with trees is upgraded to version vectors: nothing is rewritten, nothing is lost.
@Suite struct UpgradeTests {
    private let remote = RemoteID(rawValue: 1)

    private func put(_ store: Store, _ documentID: DocumentID, _ body: String) throws -> RevisionID
    {
        let outcome = try store.save(documentID, in: .default, body: Array(body.utf8))
        guard case .saved(let document) = outcome else { throw Unexpected(outcome: "\(outcome)") }
        return document.revisionID
    }

    private func changes(_ store: Store) throws -> [ChangeRow] {
        try store.read { reader in
            try reader.changes(in: .default, after: 0, limit: 1_000, remote: remote)
        }
    }

    /// Forty documents, of which the remote has every other; one edited since, one in conflict.
    private func fill(_ store: Store) throws {
        for number in 0..<40 {
            let name = DocumentID(unchecked: "d\(number)")
            let id = try put(store, name, #"{"n":\#(number)}"#)
            guard number % 2 == 0 else { continue }
            try store.write { try $0.markKnown(name, id, at: remote, in: .default) }
        }
        _ = try put(store, "d0", #"{"n":"edited"}"#)
        let rival = RemoteRevision(
            documentID: "d3",
            revisionID: try revision("1-ffff"),
            body: Array(#"{"n":"rival"}"#.utf8),
            remote: remote
        )
        _ = try store.write { try $0.insert(rival, in: .default) }
        try store.write { try $0.setMetadata("note", [1, 2, 3]) }
    }

    @Test func `documents, marks, conflicts and checkpoints survive the upgrade`() throws {
        let home = try TemporaryDirectory()
        let store = try Store.open(directory: home.file("up.cblite2"))
        defer { try? store.close() }
        try fill(store)
        let before = try changes(store)

        try store.upgradeToVersionVectors()
        try store.upgradeToVersionVectors()
        #expect(store.scheme == .vectors)
        #expect(try changes(store) == before)
        #expect(try store.read { try $0.conflicts(in: .default) } == ["d3"])
        #expect(try store.read { try $0.metadata("note") } == [1, 2, 3])
        try store.checkIntegrity()

        // What is saved then continues with a version, after its old revision.
        let old = try #require(before.first { $0.documentID == "d0" })
        let held = try #require(old.remoteAncestor)
        let saved = try put(store, "d0", #"{"n":"again"}"#)
        #expect(saved.version?.source == store.source)
        #expect(try changes(store).last?.remoteAncestor == held)
        let ancestry = try store.read { reader in
            try reader.ancestry(of: "d0", saved, in: .default, limit: 50, known: [held])
        }
        // The first tree ID that is sent is the one that the remote has.
        #expect(ancestry.ids == [held])
    }

    @Test func `an upgrade inside a write is refused, not ignored`() throws {
        let store = Store.inMemory()
        let code = try refusal { try store.write { _ in try store.upgradeToVersionVectors() } }
        #expect(code == .busy(.thisProcess(ownerCount: 1)))
        #expect(store.scheme == .trees)
        try store.upgradeToVersionVectors()
        try store.write { _ in try store.upgradeToVersionVectors() }
        #expect(store.scheme == .vectors)
    }

    /// A dump that had already begun used to leave out, as damaged, whatever was saved after the upgrade.
    @Test
    func `an open reader continues during the upgrade and does not report versions as damage`()
        throws
    {
        let home = try TemporaryDirectory()
        let path = home.file("read.cblite2")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        _ = try put(store, "old", #"{"n":1}"#)
        let reader = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        defer { try? reader.close() }
        #expect(try reader.read { try $0.revisions(of: "old", in: .default) }?.isSingle == true)

        try store.upgradeToVersionVectors()
        let edited = try put(store, "old", #"{"n":2}"#)
        let new = try put(store, "new", "{}")
        try reader.read { reader in
            let history = try #require(try reader.revisions(of: "old", in: .default))
            #expect(history.current?.id == edited)
            #expect(try reader.revisions(of: "new", in: .default)?.current?.id == new)
        }
        #expect(reader.scheme == .vectors)
        try reader.checkIntegrity()
    }

    @Test func `the upgrade is permanent, and older versions refuse the file`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("kept.cblite2")
        let store = try Store.open(directory: path)
        _ = try put(store, "doc", "{}")
        #expect(store.scheme == .trees)
        try store.close()
        let upgraded = try Store.open(directory: path, options: StoreOptions(scheme: .vectors))
        #expect(upgraded.scheme == .vectors)
        try upgraded.close()
        let again = try Store.open(directory: path, options: StoreOptions(scheme: .trees))
        defer { try? again.close() }
        #expect(again.scheme == .vectors)
        let document = try again.read { try $0.document("doc", in: .default) }
        #expect(document?.revisionID.generation == 1)
    }
}
