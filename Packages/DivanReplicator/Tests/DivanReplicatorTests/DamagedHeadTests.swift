import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// A document damaged by a failing disk is not transferred, and blocks no other.
@Suite struct DamagedHeadTests {
    private static let count = 60
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A database in which only the ID of document 7 can be read.
    private func damagedSite() throws -> Site {
        let path = folder.path + "/damaged.cblite2"
        let whole = try Store.open(directory: path)
        for number in 0..<Self.count {
            let id = DocumentID(unchecked: "document \(number).")
            _ = try whole.save(id, in: .default, body: Array(#"{"mark":"here"}"#.utf8))
        }
        try whole.close()
        // The generation follows the ID, and the body comes after it.
        let file = URL(filePath: path + "/db.sqlite3")
        let count = try RowDamage.change(behind: "document 7.", near: "mark", in: file)
        #expect(count == 1)
        return try Site(try Store.open(directory: path))
    }

    @Test func `a push skips the damaged document, reports it and pushes the others`() throws {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        var options = Conversation.Options(pulls: false)
        options.limits.changesCount = 5
        for _ in 0..<2 {
            let run = Conversation.oneShot(options, here, there)
            #expect(run.failures.map(\.documentID) == ["document 7."])
            #expect(run.error == nil)
            #expect(try there.contents().count == Self.count - 1)
        }
    }

    @Test func `documents pushed after the damaged one are not read again for a filter`() throws {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        let askedCount = Mutex(0)
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.pushFilter = { _ in
            askedCount.withLock { $0 += 1 }
            return true
        }
        let options = options(collection)
        for _ in 0..<3 {
            #expect(Conversation.oneShot(options, here, there).error == nil)
            #expect(askedCount.withLock { $0 } == Self.count - 1)
        }
    }

    private func options(
        _ collection: PeerConfiguration.CollectionOptions
    ) -> Conversation.Options {
        var options = Conversation.Options(pulls: false)
        options.collections = [collection]
        return options
    }

    @Test func `a damaged document outside the list of document IDs does not block the checkpoint`()
        throws
    {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.documentIDs = ["document 3.", "document 40."]
        let options = options(collection)
        let run = Conversation.oneShot(options, here, there)
        #expect(run.failures.isEmpty && run.error == nil)
        #expect(try there.contents().count == 2)
        guard case .active(let active) = options.active.role else { return }
        let names = CheckpointNames(of: collection, active, in: here.store)
        let saved = try #require(try names.localCopy(in: here.store))
        #expect(Checkpoint(json: saved.body).completed.firstRangeEnd == UInt64(Self.count))
    }

    /// The tree follows the current revision's ID and the flags, and begins with its format.
    @Test
    func `a document with a damaged revision tree does not prevent recording what the peer has`()
        throws
    {
        let path = folder.path + "/tree.cblite2"
        let there = try Site()
        let options = Conversation.Options()
        do {
            let whole = try Site(try Store.open(directory: path))
            for id in ["bad", "good"] as [DocumentID] {
                // The digest spells `current!`.
                try whole.put(id, ["1-aa"], #"{"mark":1}"#)
                try whole.put(id, ["2-63757272656e7421", "1-aa"], #"{"mark":2,"id":"\#(id)"}"#)
            }
            #expect(Conversation.oneShot(options, whole, there).failures == [])
            try whole.store.close()
        }
        let file = URL(filePath: path + "/db.sqlite3")
        let head = "bad\u{2}current!\u{2}\u{0}"
        let count = try RowDamage.change(behind: head, near: "mark", in: file)
        #expect(count == 1)
        let here = try Site(try Store.open(directory: path))
        defer { try? here.store.close() }
        try here.save("mine", "{}")
        try there.save("theirs", "{}")
        var again = options
        again.isReset = true
        let run = Conversation.oneShot(again, here, there)
        #expect(run.closeCode == 1000 && run.error == nil, "\(run.failures)")
        #expect(run.failures.map(\.documentID) == ["bad"])
        #expect(try here.body("theirs") != nil && there.body("mine") != nil)
        #expect(try here.store.read { try $0.revisions(of: "good", in: .default) } != nil)
        #expect(throws: StoreError.self) {
            try here.store.read { try $0.revisions(of: "bad", in: .default) }
        }
    }

    @Test func `a pull gets the other documents`() throws {
        let there = try damagedSite()
        defer { try? there.store.close() }
        let here = try Site()
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures == [])
        #expect(run.error == nil)
        #expect(try here.contents().count == Self.count - 1)
    }
}
